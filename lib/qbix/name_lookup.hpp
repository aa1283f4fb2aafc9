// qbix/name_lookup.hpp: from read names to their records: candidates of the index, each
// proved by the record itself.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string_view>
#include <vector>

#include "qbix/bam_file.hpp"
#include "qbix/export.hpp"
#include "qbix/name_list.hpp"
#include "qbix/qbi_index.hpp"
#include "qbix/record_reader.hpp"
#include "qbix/types.hpp"

namespace qbix {

// A record that may have a listed name: its hash is that of names.name(name).
struct NameCandidate {
    VirtualOffset voffset;
    uint32_t name = 0;
    auto operator<=>(const NameCandidate&) const = default;
};

// All candidates for `names` in file order (then name number). A record stands here twice
// when two listed names have its hash. Throws Error (kBadIndex, kIo).
QBIX_EXPORT std::vector<NameCandidate> find_candidates(const QbiIndex& index,
                                                       const NameList& names);

// Reads candidates and proves them against the record's QNAME. One fetcher, one thread;
// `bam` must outlive it. Ascending offsets decompress each block once.
class QBIX_EXPORT NameFetcher {
   public:
    explicit NameFetcher(const BamFile& bam) : reader_(bam) {}

    // The record at `voffset` if its name is `name`; empty if another name has the same
    // hash. The view is valid until the next call. Throws Error: kForeignIndex when the
    // record's own hash is not that of `name` (the index is of another BAM), and what
    // RecordReader::read() throws.
    std::optional<RecordView> fetch(VirtualOffset voffset, std::string_view name);

    uint64_t blocks_read() const noexcept { return reader_.blocks_read(); }

   private:
    RecordReader reader_;
};

// Calls `on_record` for each record named `name`, in file order; returns how many. Throws
// Error, and what `on_record` throws.
QBIX_EXPORT uint64_t fetch_name(const QbiIndex& index, NameFetcher& fetcher, std::string_view name,
                                const std::function<void(const RecordView&)>& on_record);

}  // namespace qbix
