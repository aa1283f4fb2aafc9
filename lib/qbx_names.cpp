#include "qbx_names.hpp"

#include <algorithm>
#include <array>
#include <bit>

#include "index_errors.hpp"
#include "qbx_long_group.hpp"

namespace qbix {

using namespace qbx_names;

namespace {

// What a region without names is looked up in.
alignas(kLineBytes) constexpr std::array<uint8_t, kLineBytes> kEmptyLine{};

constexpr uint64_t kOrdinalsOfEntry = 2;

}  // namespace

QbxNames::QbxNames(const QbxSection& section, const Kernels& kernels) : section_(section) {
    const uint64_t n_start = std::min(section.size_bytes(), kHeadBytes);
    head_ = decode_head({section.view(0, n_start), n_start}, section.size_bytes(), section.path());
    shape_ = line_shape(head_.remainder_bits);
    match_ = kernels.match(head_.remainder_bits);
}

void QbxNames::bad(const char* why) const {
    throw_bad_index(section_.path(), std::string("names: ") + why);
}

// ---- one name --------------------------------------------------------------------------

inline const uint8_t* QbxNames::region_entry(NameHash hash) const {
    return section_.view(head_.region_entry_place(head_.region_of(hash)), kRegionEntryBytes);
}

inline QbxNames::Probe QbxNames::probe(NameHash hash, const uint8_t* entry) const {
    const Region region = decode_region(entry);
    const LinePlace place =
        place_in_region(hash, head_.region_bits, head_.remainder_bits, region.n_lines);
    const uint8_t* line =
        region.n_lines == 0 ? kEmptyLine.data()
                            : section_.view(region.lines_at + place.line * kLineBytes, kLineBytes);
    return {entry, line, place.remainder};
}

void QbxNames::find(NameHash hash, std::vector<uint64_t>& ordinals) const {
    find_in_line(probe(hash, region_entry(hash)), ordinals);
}

void QbxNames::find_in_line(const Probe& probe, std::vector<uint64_t>& ordinals) const {
    const auto line_head = load_le<uint32_t>(probe.line);
    const bool overflows = line_count(line_head) == kOverflows;
    uint32_t equal = 0;
    match_(&probe.line, &probe.remainder, &equal, 1);
    if (overflows) equal &= static_cast<uint32_t>(low_mask(shape_.n_inline));
    if (equal == 0 && !overflows) return;
    const Region region = decode_region(probe.region);
    for (; equal != 0; equal &= equal - 1) {
        append_name(region, line_base(line_head) + static_cast<unsigned>(std::countr_zero(equal)),
                    ordinals);
    }
    if (overflows)
        find_in_overflow(region, probe, line_base(line_head) + shape_.n_inline, ordinals);
}

// The rest of a line's remainders ascends.
void QbxNames::find_in_overflow(const Region& region, const Probe& probe, uint64_t base,
                                std::vector<uint64_t>& ordinals) const {
    const auto word = load_le<uint32_t>(probe.line + shape_.pointer_at);
    const uint64_t place = region.overflow_at() + uint64_t{word} * 4;
    const auto n = load_le<uint32_t>(section_.view(place, 4));
    const uint8_t* list = section_.view(place + 4, uint64_t{n} * 4);
    uint32_t at = 0;
    for (uint32_t n_left = n; n_left != 0;) {
        const uint32_t half = n_left / 2;
        const bool below = load_le<uint32_t>(list + uint64_t{at + half} * 4) < probe.remainder;
        at += below ? half + 1 : 0;
        n_left = below ? n_left - half - 1 : half;
    }
    for (; at < n && load_le<uint32_t>(list + uint64_t{at} * 4) == probe.remainder; ++at) {
        append_name(region, base + at, ordinals);
    }
}

void QbxNames::append_name(const Region& region, uint64_t rank,
                           std::vector<uint64_t>& ordinals) const {
    if (region.entry_bits() > kMaxEntryBits) bad("an entry is too wide");
    const uint64_t bit = entry_bit(rank, region.entry_bits());
    const uint8_t* byte = section_.view(region.entries_at() + bit / 8, 8);
    append_entry(region, load_entry(byte, bit % 8, region.first_bits, region.delta_bits), ordinals);
}

void QbxNames::append_entry(const Region& region, Entry entry,
                            std::vector<uint64_t>& ordinals) const {
    if (entry.delta != 0 && entry.delta == region.long_code()) {
        read_long_group(section_, head_.n_records, region, entry.first,
                        [&](uint64_t ordinal) { ordinals.push_back(ordinal); });
        return;
    }
    const uint64_t last = entry.first + entry.delta;
    if (last >= head_.n_records) bad("an ordinal beyond the last record");
    ordinals.push_back(entry.first);
    if (entry.delta != 0) ordinals.push_back(last);
}

bool QbxNames::matches(NameHash asked, NameHash found) const {
    const uint64_t region = head_.region_of(asked);
    if (region != head_.region_of(found)) return false;
    const uint32_t n_lines = decode_region(region_entry(asked)).n_lines;
    const auto place = [&](NameHash hash) {
        return place_in_region(hash, head_.region_bits, head_.remainder_bits, n_lines);
    };
    return place(asked) == place(found);
}

// ---- many names ------------------------------------------------------------------------

// Probes that take each step together.
struct QbxNames::Lanes {
    static constexpr size_t kMost = 16;

    size_t n = 0;
    const NameHash* hashes = nullptr;
    const uint8_t* regions[kMost];  // entries of the directory
    const uint8_t* lines[kMost];
    uint32_t remainders[kMost];
    const uint8_t* entries[kMost];  // nullptr where there is no candidate
    uint8_t bits[kMost];            // where the entry begins in its first byte
    uint32_t slow = 0;              // lanes with more than one candidate, or that may have
};

// Four steps, each one group of lanes behind the one before it: what a step will read was
// prefetched while another group took its step.
class QbxNames::Batch {
   public:
    Batch(const QbxNames& names, std::span<const NameHash> hashes, OrdinalGroups& found)
        : names_(names), section_(names.section_), hashes_(hashes), found_(found) {
        found_.begins.resize(hashes.size() + 1);
        found_.ordinals.resize(found_.ordinals.capacity());
    }

    void run() {
        const size_t n_groups = (hashes_.size() + Lanes::kMost - 1) / Lanes::kMost;
        for (size_t step = 0; step < n_groups + kSteps - 1; ++step) {
            if (step < n_groups) enter(lanes_[step % kSteps], step * Lanes::kMost);
            if (step >= 1 && step - 1 < n_groups) reach_lines(lanes_[(step - 1) % kSteps]);
            if (step >= 2 && step - 2 < n_groups) match(lanes_[(step - 2) % kSteps]);
            if (step >= 3) leave(lanes_[(step - 3) % kSteps]);
        }
        found_.begins.back() = n_ordinals_;
        found_.ordinals.resize(n_ordinals_);
    }

   private:
    static constexpr size_t kSteps = 4;

    void enter(Lanes& lanes, size_t first) {
        lanes.hashes = &hashes_[first];
        lanes.n = std::min(Lanes::kMost, hashes_.size() - first);
        for (size_t i = 0; i < lanes.n; ++i) {
            lanes.regions[i] = names_.region_entry(lanes.hashes[i]);
            __builtin_prefetch(lanes.regions[i]);
        }
    }

    void reach_lines(Lanes& lanes) {
        for (size_t i = 0; i < lanes.n; ++i) {
            const Probe probe = names_.probe(lanes.hashes[i], lanes.regions[i]);
            lanes.lines[i] = probe.line;
            lanes.remainders[i] = probe.remainder;
            __builtin_prefetch(probe.line);
        }
    }

    void match(Lanes& lanes) {
        uint32_t equal[Lanes::kMost];
        names_.match_(lanes.lines, lanes.remainders, equal, lanes.n);
        lanes.slow = 0;
        for (size_t i = 0; i < lanes.n; ++i) {
            lanes.entries[i] = nullptr;
            const auto line_head = load_le<uint32_t>(lanes.lines[i]);
            const bool many = (equal[i] & (equal[i] - 1)) != 0;
            if (line_count(line_head) == kOverflows || many) {
                lanes.slow |= 1U << i;
            } else if (equal[i] != 0) {
                const auto slot = static_cast<unsigned>(std::countr_zero(equal[i]));
                reach_entry(lanes, i, uint64_t{line_base(line_head)} + slot);
            }
        }
    }

    void reach_entry(Lanes& lanes, size_t i, uint64_t rank) {
        const Region region = decode_region(lanes.regions[i]);
        if (region.entry_bits() > kMaxEntryBits) names_.bad("an entry is too wide");
        const uint64_t bit = entry_bit(rank, region.entry_bits());
        lanes.entries[i] = section_.view(region.entries_at() + bit / 8, 8);
        lanes.bits[i] = bit % 8;
        __builtin_prefetch(lanes.entries[i]);
        __builtin_prefetch(lanes.entries[i] + 7);
    }

    void leave(Lanes& lanes) {
        make_room(Lanes::kMost * kOrdinalsOfEntry);
        uint64_t* begins = &found_.begins[static_cast<size_t>(lanes.hashes - hashes_.data())];
        for (size_t i = 0; i < lanes.n; ++i) {
            begins[i] = n_ordinals_;
            if (lanes.entries[i] != nullptr) {
                leave_with_entry(lanes, i);
            } else if (lanes.slow >> i & 1) {
                names_.find_in_line({lanes.regions[i], lanes.lines[i], lanes.remainders[i]}, many_);
                take_many();
            }
        }
    }

    void leave_with_entry(const Lanes& lanes, size_t i) {
        const Region region = decode_region(lanes.regions[i]);
        const Entry entry =
            load_entry(lanes.entries[i], lanes.bits[i], region.first_bits, region.delta_bits);
        const uint64_t last = entry.first + entry.delta;
        if (entry.delta != 0 && (entry.delta == region.long_code() || last >= n_records_))
            [[unlikely]] {
            names_.append_entry(region, entry, many_);
            take_many();
            return;
        }
        if (last >= n_records_) names_.bad("an ordinal beyond the last record");
        // A single group writes a second ordinal too, which the next one overwrites.
        uint64_t* out = &found_.ordinals[n_ordinals_];
        out[0] = entry.first;
        out[1] = last;
        n_ordinals_ += entry.delta != 0 ? 2 : 1;
    }

    [[gnu::noinline]] void take_many() {
        make_room(many_.size() + Lanes::kMost * kOrdinalsOfEntry);
        std::copy(many_.begin(), many_.end(), &found_.ordinals[n_ordinals_]);
        n_ordinals_ += many_.size();
        many_.clear();
    }

    void make_room(size_t n) {
        if (found_.ordinals.size() - n_ordinals_ >= n) return;
        found_.ordinals.resize(std::max(n_ordinals_ + n, 2 * found_.ordinals.size()));
    }

    const QbxNames& names_;
    const QbxSection& section_;
    const std::span<const NameHash> hashes_;
    OrdinalGroups& found_;
    const uint64_t n_records_ = names_.head_.n_records;
    uint64_t n_ordinals_ = 0;
    std::vector<uint64_t> many_;  // of one query
    Lanes lanes_[kSteps];
};

void QbxNames::find_batch(std::span<const NameHash> hashes, OrdinalGroups& found) const {
    Batch(*this, hashes, found).run();
}

}  // namespace qbix
