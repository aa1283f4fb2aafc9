#include "qbx_region_builder.hpp"

#include <algorithm>
#include <array>

#include "qbix/error.hpp"

namespace qbix {

using namespace qbx_names;

void RegionBuilder::reset(uint64_t region) noexcept {
    region_ = region;
    names_.clear();
    long_bytes_.clear();
    n_taken_bytes_ = 0;
}

void RegionBuilder::add(std::span<const IndexRow> rows) {
    for (const IndexRow& row : rows) {
        const uint64_t ordinal = row.voffset.value;
        if (!names_.empty() && names_.back().hash == row.hash) {
            add_to_last(ordinal);
        } else {
            end_group();
            names_.push_back({row.hash, ordinal, kSingle});
        }
        last_ordinal_ = ordinal;
    }
}

void RegionBuilder::add_to_last(uint64_t ordinal) {
    Name& name = names_.back();
    if (name.delta == kSingle) {
        name.delta = ordinal - name.first;
        return;
    }
    if (name.delta != kLong) {
        const uint64_t place = n_taken_bytes_ + long_bytes_.size();
        put(name.first);
        put(name.delta);
        name.first = place;
        name.delta = kLong;
    }
    put(ordinal - last_ordinal_);
}

void RegionBuilder::end_group() {
    if (!names_.empty() && names_.back().delta == kLong) put(0);
}

void RegionBuilder::put(uint64_t value) {
    uint8_t bytes[kMaxVarintBytes];
    long_bytes_.insert(long_bytes_.end(), bytes, store_varint(bytes, value));
}

void RegionBuilder::take_long_bytes(size_t least_bytes, std::vector<uint8_t>& out) {
    if (long_bytes_.size() < least_bytes) return;
    n_taken_bytes_ += long_bytes_.size();
    out = std::move(long_bytes_);
    long_bytes_.clear();
}

// The width at which entries and the pairs that do not fit them take the fewest bits.
unsigned RegionBuilder::choose_delta_bits(unsigned max_bits) const {
    bool all_single = true;
    std::array<uint64_t, 65> long_bits_by_width{};
    for (const Name& name : names_) {
        if (name.delta == kSingle) continue;
        all_single = false;
        if (name.delta == kLong) continue;
        const unsigned n_bytes = varint_bytes(name.first) + varint_bytes(name.delta) + 1;
        long_bits_by_width[bits_for(name.delta + 1)] += uint64_t{8} * n_bytes;
    }
    if (all_single) return 0;
    uint64_t long_bits = 0;  // of pairs that need more than `width` bits
    for (unsigned width = 64; width > max_bits; --width) long_bits += long_bits_by_width[width];
    unsigned best = max_bits;
    uint64_t best_bits = UINT64_MAX;
    for (unsigned width = max_bits; width >= 1; --width) {
        const uint64_t n_bits = names_.size() * width + long_bits;
        if (n_bits <= best_bits) {
            best = width;
            best_bits = n_bits;
        }
        long_bits += long_bits_by_width[width];
    }
    return best;
}

// Behind the long groups: pairs too far apart for the entries.
void RegionBuilder::move_wide_pairs(unsigned delta_bits) {
    for (Name& name : names_) {
        if (name.delta < low_mask(delta_bits) || name.delta == kLong) continue;
        const uint64_t place = n_taken_bytes_ + long_bytes_.size();
        put(name.first);
        put(name.delta);
        put(0);
        name.first = place;
        name.delta = kLong;
    }
}

qbx_names::Region RegionBuilder::finish(const Head& head, std::vector<uint8_t>& out) {
    if (names_.size() > kMaxNamesPerRegion) {
        throw Error(ErrorCode::kUsage, "too many read names whose hashes begin alike");
    }
    end_group();
    Region region;
    region.n_names = static_cast<uint32_t>(names_.size());
    region.n_lines =
        static_cast<uint32_t>(round_up(names_.size(), line_shape(head.remainder_bits).load) /
                              line_shape(head.remainder_bits).load);
    // As many bits as the place of any long group could need.
    const unsigned most_first_bits =
        bits_for(head.n_records | (n_taken_bytes_ + long_bytes_.size() + 21 * names_.size()));
    if (most_first_bits + 2 > kMaxEntryBits) {
        throw Error(ErrorCode::kUsage, "too many records for an index");
    }
    region.delta_bits = static_cast<uint8_t>(choose_delta_bits(kMaxEntryBits - most_first_bits));
    if (region.delta_bits != 0) move_wide_pairs(region.delta_bits);
    const uint64_t n_long_bytes = n_taken_bytes_ + long_bytes_.size();
    region.first_bits =
        static_cast<uint8_t>(std::max(bits_for(head.n_records - 1), bits_for(n_long_bytes)));
    region.lines_at = round_up(n_long_bytes, kLineBytes);

    const size_t start = out.size();
    out.insert(out.end(), long_bytes_.begin(), long_bytes_.end());
    // Eight bytes more, for entries are stored like they are loaded.
    out.resize(start + (region.overflow_at() + 8 - n_taken_bytes_));
    encode_lines(head, region, &out[start + (region.lines_at - n_taken_bytes_)]);
    encode_entries(region, &out[start + (region.entries_at() - n_taken_bytes_)]);
    region.n_overflow = static_cast<uint32_t>(overflow_.size());
    out.resize(start + (region.end() - n_taken_bytes_));
    uint8_t* word = out.data() + start + (region.overflow_at() - n_taken_bytes_);
    for (const uint32_t value : overflow_) {
        store_le<uint32_t>(word, value);
        word += 4;
    }
    return region;
}

void RegionBuilder::encode_lines(const Head& head, const Region& region, uint8_t* lines) {
    const LineShape shape = line_shape(head.remainder_bits);
    overflow_.clear();
    size_t name = 0;
    for (uint32_t line = 0; line < region.n_lines; ++line, lines += kLineBytes) {
        const auto base = static_cast<uint32_t>(name);
        remainders_.clear();
        for (; name < names_.size(); ++name) {
            const LinePlace place = place_in_region(names_[name].hash, head.region_bits,
                                                    head.remainder_bits, region.n_lines);
            if (place.line != line) break;
            remainders_.push_back(place.remainder);
        }
        const bool overflows = remainders_.size() > shape.n_slots;
        const size_t n_inline = overflows ? shape.n_inline : remainders_.size();
        const auto count = overflows ? kOverflows : static_cast<uint32_t>(n_inline);
        store_le<uint32_t>(lines, base << kCountBits | count);
        for (unsigned i = 0; i < n_inline; ++i) {
            store_slot(lines, i, head.remainder_bits, remainders_[i]);
        }
        if (!overflows) continue;
        store_le<uint32_t>(lines + shape.pointer_at, static_cast<uint32_t>(overflow_.size()));
        overflow_.push_back(static_cast<uint32_t>(remainders_.size() - n_inline));
        overflow_.insert(overflow_.end(), remainders_.begin() + static_cast<ptrdiff_t>(n_inline),
                         remainders_.end());
    }
}

void RegionBuilder::encode_entries(const Region& region, uint8_t* entries) const noexcept {
    const unsigned entry_bits = region.entry_bits();
    uint64_t at = 0;
    for (const Name& name : names_) {
        const uint64_t delta = name.delta == kLong ? region.long_code() : name.delta;
        const uint64_t value = name.first | delta << region.first_bits;
        uint8_t* byte = entries + at / 8;
        store_le<uint64_t>(byte, load_le<uint64_t>(byte) | value << at % 8);
        at += entry_bits;
    }
}

}  // namespace qbix
