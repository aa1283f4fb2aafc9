// qbx_names.hpp: looking names up in the names section of a .qbx: hash -> record ordinals.
//
// Complete when constructed, immutable, safe for many threads. Opening does constant work.
// Of a damaged or hostile section a lookup gives an Error, or ordinals of other records, all
// below n_records(): what is found is a candidate, and its own name must be compared anyway.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "format_qbx_names.hpp"
#include "qbix/types.hpp"
#include "qbx_names_kernels.hpp"
#include "qbx_section.hpp"

namespace qbix {

// What find_batch() found. Memory is kept from call to call.
struct OrdinalGroups {
    std::vector<uint64_t> begins;    // of each query's ordinals, and the end of the last
    std::vector<uint64_t> ordinals;  // of one name ascending

    std::span<const uint64_t> of(size_t query) const noexcept {
        return {&ordinals[0] + begins[query], &ordinals[0] + begins[query + 1]};
    }
};

class QbxNames {
   public:
    // The section must outlive this object. Throws Error kBadIndex, kNotIndex, kIo.
    explicit QbxNames(const QbxSection& section,
                      const qbx_names::Kernels& kernels = qbx_names::best_kernels());

    uint64_t n_records() const noexcept { return head_.n_records; }
    uint64_t n_names() const noexcept { return head_.n_names; }  // distinct hashes
    unsigned remainder_bits() const noexcept { return head_.remainder_bits; }

    // Appends the ordinals of all names that `hash` could be: usually none or one name's.
    // Throws Error kBadIndex, kIo.
    void find(NameHash hash, std::vector<uint64_t>& ordinals) const;

    // find() for many, with some dozens of probes in flight: what to use for more than one.
    void find_batch(std::span<const NameHash> hashes, OrdinalGroups& found) const;

    // Whether find(asked) gives the records of a name with the hash `found`. A candidate
    // whose own hash does not match was put there for no record of this file.
    bool matches(NameHash asked, NameHash found) const;

    struct Name {
        uint64_t region;
        qbx_names::LinePlace place;
        uint64_t first_ordinal;
        uint64_t n_records;
    };
    // Calls visit for each name in hash order and checks everything on the way: that the
    // section is one that a writer could have written, but for the hashes behind the
    // remainders. Throws Error kBadIndex, kIo, and what visit throws.
    void walk(const std::function<void(const Name&)>& visit) const;
    void validate() const;

   private:
    struct Lanes;
    class Batch;

    struct Probe {
        const uint8_t* region;  // its entry of the directory
        const uint8_t* line;
        uint32_t remainder;
    };
    const uint8_t* region_entry(NameHash hash) const;
    Probe probe(NameHash hash, const uint8_t* region_entry) const;
    void find_in_line(const Probe& probe, std::vector<uint64_t>& ordinals) const;
    void find_in_overflow(const qbx_names::Region& region, const Probe& probe, uint64_t base,
                          std::vector<uint64_t>& ordinals) const;
    void append_name(const qbx_names::Region& region, uint64_t rank,
                     std::vector<uint64_t>& ordinals) const;
    void append_entry(const qbx_names::Region& region, qbx_names::Entry entry,
                      std::vector<uint64_t>& ordinals) const;
    [[noreturn]] void bad(const char* why) const;

    const QbxSection& section_;
    qbx_names::Head head_;
    qbx_names::LineShape shape_;
    qbx_names::MatchLines match_;
};

}  // namespace qbix
