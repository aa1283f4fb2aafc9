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
#include "qbix/name_index.hpp"
#include "qbix/name_list.hpp"
#include "qbix/record_reader.hpp"
#include "qbix/types.hpp"

namespace qbix {

// A record that may have a listed name: the index found it for names.name(name).
struct NameCandidate {
    VirtualOffset voffset;  // the place, as RecordPlace has it
    uint32_t n_skip = 0;
    uint32_t name = 0;
    RecordPlace place() const { return {voffset, n_skip}; }
    auto operator<=>(const NameCandidate&) const = default;
};

// All candidates for `names` in file order (then name number). A record stands here twice
// when two listed names lead to it. Throws Error (kBadIndex, kIo).
QBIX_EXPORT std::vector<NameCandidate> find_candidates(const NameIndex& index,
                                                       const NameList& names);

// Appends the candidates of names [begin, end) of the list, in no order, and returns how many
// of those names have one.
QBIX_EXPORT uint64_t append_candidates(const NameIndex& index, const NameList& names, size_t begin,
                                       size_t end, std::vector<NameCandidate>& candidates);

// Reads candidates and proves them against the record's QNAME. One fetcher, one thread;
// `index` and `bam` must outlive it. Ascending places decompress each block once.
class QBIX_EXPORT NameFetcher {
   public:
    NameFetcher(const NameIndex& index, const BamFile& bam) : index_(index), reader_(bam) {}

    // The record at `place` if its name is `name`; empty if it has another one that the index
    // cannot tell from it. The view is valid until the next call. Throws Error: kForeignIndex
    // when the index should not have proposed that record (it is of another BAM), and what
    // RecordReader::read_at() throws.
    std::optional<RecordView> fetch(const RecordPlace& place, std::string_view name);

    uint64_t blocks_read() const noexcept { return reader_.blocks_read(); }

   private:
    const NameIndex& index_;
    RecordReader reader_;
};

// Calls `on_record` for each record named `name`, in file order; returns how many. Throws
// Error, and what `on_record` throws.
QBIX_EXPORT uint64_t fetch_name(const NameIndex& index, NameFetcher& fetcher, std::string_view name,
                                const std::function<void(const RecordView&)>& on_record);

}  // namespace qbix
