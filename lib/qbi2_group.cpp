// From a row of a QBI2 back to its hash. Lookups go the other way, and cursors count along;
// this is for single rows and for where a cursor starts.
#include <bit>

#include "index_errors.hpp"
#include "qbi_state.hpp"

namespace qbix {
namespace {

// The last prefix that has at most `group` hashes before it.
uint64_t prefix_of_group(const QbiIndex::State& index, uint64_t group) {
    uint64_t lo = 0;
    uint64_t hi = index.layout.n_prefixes();
    while (hi - lo > 1) {
        const uint64_t middle = lo + (hi - lo) / 2;
        (index.bytes.read_u64(index.layout.radix_place(middle)) <= group ? lo : hi) = middle;
    }
    return lo;
}

}  // namespace

GroupPlace group_of_row(const QbiIndex::State& index, uint64_t row) {
    const qbi2::Layout& layout = index.layout;
    const uint64_t block = row / qbi2::kRowsPerBlock;
    const uint64_t row_word = row / qbi2::kRowsPerWord;
    uint64_t n_starts = index.bytes.read_u64(layout.rank_place(block));  // up to and with `row`
    for (uint64_t word = block * qbi2::kWordsPerBlock; word <= row_word; ++word) {
        uint64_t bits = index.bytes.read_u64(layout.word_place(word));
        if (word == row_word) bits &= ~uint64_t{0} >> (63 - row % qbi2::kRowsPerWord);
        n_starts += static_cast<unsigned>(std::popcount(bits));
    }
    if (n_starts == 0 || n_starts > layout.n_unique) {
        throw_bad_index(index.path,
                        "rank and group bits disagree in block " + std::to_string(block));
    }
    return {n_starts - 1, prefix_of_group(index, n_starts - 1)};
}

NameHash hash_of_group(const QbiIndex::State& index, GroupPlace place) {
    const qbi2::Layout& layout = index.layout;
    const uint64_t end = layout.suffix_place(place.group) + layout.suffix_bytes;
    uint8_t bytes[8];
    index.bytes.read(end - 8, bytes);
    return layout.join(place.prefix, qbi2::load_suffix_before(bytes + 8, layout.suffix_bytes));
}

}  // namespace qbix
