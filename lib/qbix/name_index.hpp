// qbix/name_index.hpp: an opened index of read names, in whichever format.
//
// Asked for the hash of a name, it proposes places where records with that name may stand. A
// .qbx numbers the records and knows the block of each; a .qbi knows the place in the block,
// too. What is proposed must be compared with the record (NameFetcher does).
//
// A handle is complete when constructed, immutable, and safe for many threads.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "qbix/bam_file.hpp"
#include "qbix/export.hpp"
#include "qbix/types.hpp"

namespace qbix {

enum class IndexFormat { kQbi1, kQbi2, kQbx };

// "QBI1", "QBI2", "QBX".
QBIX_EXPORT const char* format_name(IndexFormat format) noexcept;

// What a batch found. Memory is kept from call to call.
struct PlaceGroups {
    std::vector<size_t> begins;       // of the places of each query, and the end of the last
    std::vector<RecordPlace> places;  // of one name in file order

    std::span<const RecordPlace> of(size_t query) const noexcept {
        return {places.data() + begins[query], begins[query + 1] - begins[query]};
    }
};

class QBIX_EXPORT NameIndex {
   public:
    NameIndex() = default;
    virtual ~NameIndex() = default;
    NameIndex(const NameIndex&) = delete;
    NameIndex& operator=(const NameIndex&) = delete;

    virtual const std::string& path() const noexcept = 0;
    virtual IndexFormat format() const noexcept = 0;
    virtual uint64_t size_bytes() const noexcept = 0;  // of the index file
    virtual uint64_t record_count() const noexcept = 0;
    virtual const BamIdentity& bam_identity() const noexcept = 0;

    // All that follow throw Error: kBadIndex, kIo.

    // Whether a record may have a name with that hash. "No" is certain.
    virtual bool has_name(NameHash hash) const = 0;

    // Appends the places of the records whose names `hash` may be.
    virtual void find_places(NameHash hash, std::vector<RecordPlace>& places) const = 0;

    // find_places() for many: of(i) answers hashes[i]. A list costs a fraction of single calls.
    virtual void find_places_batch(std::span<const NameHash> hashes, PlaceGroups& found) const = 0;

    // Whether a record whose name has the hash `found` is rightly proposed for `asked`: else the
    // index is of another file.
    virtual bool matches(NameHash asked, NameHash found) const = 0;

    // Calls visit with the number of records of each name, name after name. Names with the same
    // hash count as one.
    virtual void visit_names(const std::function<void(uint64_t n_records)>& visit) const = 0;

    // check_belongs() and check_full() of qbix/index_check.hpp.
    virtual void check_belongs(const BamFile& bam) const = 0;
};

// Opens an index by what it holds, not by its name. With `preload`, what lookups need of a .qbx
// is copied into memory first: that takes as long as reading it, and makes millions of lookups
// faster. Throws Error: kOpen, kIo, kNotIndex, kBadIndex.
QBIX_EXPORT std::unique_ptr<const NameIndex> open_name_index(const std::string& path,
                                                             bool preload = false);

}  // namespace qbix
