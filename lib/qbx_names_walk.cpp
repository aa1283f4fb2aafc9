// qbx_names_walk.cpp: all names of the section in order, with every byte checked.
#include <string>
#include <utility>

#include "index_errors.hpp"
#include "qbx_long_group.hpp"
#include "qbx_names.hpp"

namespace qbix {

using namespace qbx_names;

namespace {

// One region. Invariant: ranks, overflow words and long groups are met in the order in which
// a writer puts them down, so nothing is shared and nothing is left out.
class RegionWalk {
   public:
    using Visit = std::function<void(const QbxNames::Name&)>;

    RegionWalk(const QbxSection& section, const Head& head, uint64_t number, const Region& region,
               const Visit& visit)
        : section_(section),
          head_(head),
          shape_(line_shape(head.remainder_bits)),
          number_(number),
          region_(region),
          visit_(visit) {}

    // Returns how many records the region has.
    uint64_t run() {
        check_places();
        for (uint32_t line = 0; line < region_.n_lines; ++line) walk_line(line);
        if (rank_ != region_.n_names) bad("its lines do not hold all its names");
        if (overflow_ != region_.n_overflow) bad("its overflow does not belong to its lines");
        check_long_end();
        check_zeros(region_.overflow_end(), region_.end());
        return n_records_;
    }

   private:
    void check_places() const {
        const bool fits =
            region_.long_at % kLineBytes == 0 && region_.lines_at % kLineBytes == 0 &&
            region_.long_at <= region_.lines_at && region_.lines_at <= head_.directory_at &&
            region_.entry_bits() <= kMaxEntryBits && region_.end() <= head_.directory_at;
        if (!fits) bad("its parts do not fit");
        if (region_.n_names > kMaxNamesPerRegion || region_.n_lines > region_.n_names)
            bad("impossible counts");
    }

    void walk_line(uint32_t line) {
        const uint8_t* bytes =
            section_.view(region_.lines_at + uint64_t{line} * kLineBytes, kLineBytes);
        const auto line_head = load_le<uint32_t>(bytes);
        if (line_base(line_head) != rank_) bad("the ranks of its lines are out of order");
        const bool overflows = line_count(line_head) == kOverflows;
        const unsigned n = overflows ? shape_.n_inline : line_count(line_head);
        if (n > shape_.n_slots) bad("a line with too many names");
        last_remainder_ = 0;
        for (unsigned i = 0; i < shape_.n_slots && !overflows; ++i) {
            const uint32_t remainder = load_slot(bytes, i, head_.remainder_bits);
            if (i < n) {
                walk_name({line, remainder});
            } else if (remainder != 0) {
                bad("a line with something behind its names");
            }
        }
        if (!overflows) return;
        for (unsigned i = 0; i < n; ++i)
            walk_name({line, load_slot(bytes, i, head_.remainder_bits)});
        walk_overflow(line, load_le<uint32_t>(bytes + shape_.pointer_at));
    }

    void walk_overflow(uint32_t line, uint32_t word) {
        if (word != overflow_ || overflow_ >= region_.n_overflow) bad("overflow out of order");
        const uint64_t place = region_.overflow_at() + uint64_t{word} * 4;
        const auto n = load_le<uint32_t>(section_.view(place, 4));
        if (n > region_.n_overflow - overflow_ - 1 || n <= shape_.n_slots - shape_.n_inline)
            bad("impossible number of names in an overflow");
        for (uint32_t i = 0; i < n; ++i) {
            walk_name({line, load_le<uint32_t>(section_.view(place + 4 + uint64_t{i} * 4, 4))});
        }
        overflow_ += n + 1;
    }

    void walk_name(LinePlace place) {
        if (place.remainder < last_remainder_) bad("the names of a line are out of order");
        if (uint64_t{place.remainder} > low_mask(head_.remainder_bits)) bad("a remainder too wide");
        last_remainder_ = place.remainder;
        if (rank_ >= region_.n_names) bad("more names than its count");
        const uint64_t bit = entry_bit(rank_, region_.entry_bits());
        const Entry entry = load_entry(section_.view(region_.entries_at() + bit / 8, 8), bit % 8,
                                       region_.first_bits, region_.delta_bits);
        QbxNames::Name name{number_, place, entry.first, 1};
        if (entry.delta != 0 && entry.delta == region_.long_code()) {
            walk_long_group(entry.first, name);
        } else {
            if (entry.first + entry.delta >= head_.n_records)
                bad("an ordinal beyond the last record");
            name.n_records = entry.delta != 0 ? 2 : 1;
        }
        n_records_ += name.n_records;
        ++rank_;
        visit_(name);
    }

    // Groups of three and more come first, then pairs too far apart for an entry.
    void walk_long_group(uint64_t place, QbxNames::Name& name) {
        name.n_records = 0;
        const auto count = [&](uint64_t ordinal) {
            if (name.n_records++ == 0) name.first_ordinal = ordinal;
        };
        const uint64_t end = read_long_group(section_, head_.n_records, region_, place, count);
        if (name.n_records == 2) {
            if (!has_pairs_) pairs_begin_ = pairs_end_ = place;
            has_pairs_ = true;
            if (place != std::exchange(pairs_end_, end)) bad("long groups out of order");
        } else if (name.n_records == 1 || place != std::exchange(groups_end_, end)) {
            bad("long groups out of order");
        }
    }

    void check_long_end() const {
        if (has_pairs_ && pairs_begin_ != groups_end_) bad("long groups with a gap");
        const uint64_t n_bytes = has_pairs_ ? pairs_end_ : groups_end_;
        if (round_up(n_bytes, kLineBytes) != region_.lines_at - region_.long_at)
            bad("more long groups than its names have");
        check_zeros(region_.long_at + n_bytes, region_.lines_at);
    }

    void check_zeros(uint64_t begin, uint64_t end) const {
        const uint8_t* bytes = section_.view(begin, end - begin);
        for (uint64_t i = 0; i < end - begin; ++i)
            if (bytes[i] != 0) bad("something between its parts");
    }

    [[noreturn]] void bad(const char* why) const {
        throw_bad_index(section_.path(), "names, region " + std::to_string(number_) + ": " + why);
    }

    const QbxSection& section_;
    const Head& head_;
    const LineShape shape_;
    const uint64_t number_;
    const Region& region_;
    const Visit& visit_;
    uint64_t rank_ = 0;
    uint64_t n_records_ = 0;
    uint32_t last_remainder_ = 0;
    uint32_t overflow_ = 0;  // words that lines have led to
    uint64_t groups_end_ = 0;
    bool has_pairs_ = false;
    uint64_t pairs_begin_ = 0;
    uint64_t pairs_end_ = 0;
};

}  // namespace

void QbxNames::walk(const std::function<void(const Name&)>& visit) const {
    uint64_t next_place = kHeadBytes;
    uint64_t n_names = 0;
    uint64_t n_records = 0;
    for (uint64_t number = 0; number < head_.n_regions(); ++number) {
        const uint8_t* entry = section_.view(head_.region_entry_place(number), kRegionEntryBytes);
        const Region region = decode_region(entry);
        if (load_le<uint16_t>(entry + 30) != 0) bad("unknown flags in the directory");
        if (region == Region{}) continue;
        if (region.long_at != next_place) bad("regions out of order");
        n_records += RegionWalk(section_, head_, number, region, visit).run();
        n_names += region.n_names;
        next_place = region.end();
    }
    if (next_place != head_.directory_at) bad("something before the directory");
    if (n_names != head_.n_names || n_records != head_.n_records) bad("counts that do not add up");
}

void QbxNames::validate() const {
    walk([](const Name&) {});
}

}  // namespace qbix
