// The full structural check: everything that opening leaves unlooked at. What it cannot see
// (a wrong hash in the right order, another record's offset) needs the BAM.
#include <algorithm>
#include <bit>

#include "format_qbi1.hpp"
#include "index_errors.hpp"
#include "qbi_state.hpp"

namespace qbix {
namespace {

constexpr uint64_t kEntriesAtOnce = 8192;

std::string at(uint64_t place) { return " at byte " + std::to_string(place); }

void check_offset(const QbiIndex::State& index, uint64_t voffset, uint64_t place) {
    if (VirtualOffset{voffset}.coffset() >= index.bam.size_bytes) {
        throw_bad_index(index.path, "a record offset beyond the end of the BAM" + at(place));
    }
}

// Calls visit(entry number, value, place) for each u64 of a section.
template <class Visit>
void walk_u64s(const QbiIndex::State& index, uint64_t begin, uint64_t n_entries, Visit visit) {
    SectionWalker walker(index.bytes, begin, begin + n_entries * 8);
    for (uint64_t entry = 0; entry < n_entries;) {
        const uint64_t n = std::min(kEntriesAtOnce, n_entries - entry);
        const uint8_t* bytes = walker.view(begin + entry * 8, n * 8);
        for (uint64_t i = 0; i < n; ++i, ++entry) {
            visit(entry, load_le<uint64_t>(bytes + i * 8), begin + entry * 8);
        }
    }
}

void check_radix(const QbiIndex::State& index) {
    uint64_t previous = 0;
    walk_u64s(index, index.layout.radix_at, index.layout.n_radix,
              [&](uint64_t, uint64_t value, uint64_t place) {
                  if (value < previous || value > index.layout.n_unique) {
                      throw_bad_index(index.path, "the radix table is out of order" + at(place));
                  }
                  previous = value;
              });
}

// REQUIRES: check_radix() passed.
void check_suffixes(const QbiIndex::State& index) {
    const qbi2::Layout& layout = index.layout;
    SectionWalker suffixes(index.bytes, layout.suffixes_at - 8, layout.file_size_bytes);
    uint64_t group = 0;
    walk_u64s(
        index, layout.radix_place(1), layout.n_prefixes(),
        [&](uint64_t, uint64_t prefix_end, uint64_t) {
            uint64_t lowest = 0;  // that the next suffix of the prefix may be
            for (; group < prefix_end; ++group) {
                const uint64_t place = layout.suffix_place(group);
                const uint64_t suffix = qbi2::load_suffix_before(
                    suffixes.view(place - 8, 8 + layout.suffix_bytes) + 8 + layout.suffix_bytes,
                    layout.suffix_bytes);
                if (suffix < lowest || suffix >= layout.suffix_limit()) {
                    throw_bad_index(index.path, "a suffix out of order" + at(place));
                }
                lowest = suffix + 1;
            }
        });
}

void check_group_bits(const QbiIndex::State& index) {
    const qbi2::Layout& layout = index.layout;
    SectionWalker rank(index.bytes, layout.rank_at, layout.radix_at);
    const auto check_rank = [&](uint64_t entry, uint64_t n_set) {
        const uint64_t place = layout.rank_place(entry);
        if (load_le<uint64_t>(rank.view(place, 8)) != n_set) {
            throw_bad_index(index.path, "rank and group bits disagree" + at(place));
        }
    };
    uint64_t n_set = 0;
    walk_u64s(index, layout.group_bits_at, layout.n_words,
              [&](uint64_t word, uint64_t bits, uint64_t) {
                  if (word % qbi2::kWordsPerBlock == 0) {
                      check_rank(word / qbi2::kWordsPerBlock, n_set);
                  }
                  n_set += static_cast<unsigned>(std::popcount(bits));
              });
    check_rank(layout.n_blocks(), n_set);
}

void check_qbi2_offsets(const QbiIndex::State& index) {
    const qbi2::Layout& layout = index.layout;
    SectionWalker words(index.bytes, layout.group_bits_at, layout.rank_at);
    uint64_t bits = 0;
    uint64_t previous = 0;
    walk_u64s(index, layout.offsets_at, layout.n_rows,
              [&](uint64_t row, uint64_t voffset, uint64_t place) {
                  if (row % qbi2::kRowsPerWord == 0) {
                      bits = load_le<uint64_t>(words.view(layout.word_place(row / 64), 8));
                  }
                  const bool starts_group = bits >> (row % 64) & 1;
                  if (!starts_group && voffset <= previous) {
                      throw_bad_index(index.path,
                                      "record offsets of one name out of order" + at(place));
                  }
                  check_offset(index, voffset, place);
                  previous = voffset;
              });
}

}  // namespace

void validate_qbi1(const QbiIndex::State& index) {
    SectionWalker walker(index.bytes, qbi1::kHeadBytes, index.bytes.size_bytes());
    IndexRow previous;
    for (uint64_t row = 0; row < index.n_rows; ++row) {
        const uint64_t place = qbi1::row_place(row);
        const auto current = load_le<IndexRow>(walker.view(place, qbi1::kRowBytes));
        if (row != 0 && current <= previous) {
            throw_bad_index(index.path, "rows out of order" + at(place));
        }
        check_offset(index, current.voffset.value, place + 8);
        previous = current;
    }
}

void validate_qbi2(const QbiIndex::State& index) {
    check_radix(index);
    check_suffixes(index);
    check_group_bits(index);
    check_qbi2_offsets(index);
}

}  // namespace qbix
