#include "qbix/name_lookup.hpp"

#include <algorithm>
#include <string>

#include "qbix/error.hpp"
#include "qbix/name_hash.hpp"

namespace qbix {
namespace {

constexpr size_t kBatchNames = 4096;

}  // namespace

std::vector<NameCandidate> find_candidates(const QbiIndex& index, const NameList& names) {
    std::vector<NameCandidate> candidates;
    std::vector<NameHash> hashes;
    std::vector<RowRange> rows;
    std::vector<VirtualOffset> voffsets;
    for (size_t begin = 0; begin < names.size(); begin += kBatchNames) {
        size_t n = std::min(kBatchNames, names.size() - begin);
        hashes.resize(n);
        rows.resize(n);
        for (size_t i = 0; i < n; ++i)
            hashes[i] = hash_name(names.name(static_cast<uint32_t>(begin + i)));
        index.find_batch(hashes, rows);
        for (size_t i = 0; i < n; ++i) {
            if (rows[i].empty()) continue;
            voffsets.clear();
            index.read_voffsets(rows[i], voffsets);
            for (VirtualOffset voffset : voffsets)
                candidates.push_back({voffset, static_cast<uint32_t>(begin + i)});
        }
    }
    std::sort(candidates.begin(), candidates.end());
    return candidates;
}

std::optional<RecordView> NameFetcher::fetch(VirtualOffset voffset, std::string_view name) {
    RecordView record = reader_.read(voffset);
    std::string_view qname = record.qname();
    if (qname == name) return record;
    if (hash_name(qname) == hash_name(name)) return std::nullopt;
    throw Error(ErrorCode::kForeignIndex,
                "the index is of another BAM: at virtual offset " + std::to_string(voffset.value) +
                    " stands another read than indexed; build the index again (qbix index)");
}

uint64_t fetch_name(const QbiIndex& index, NameFetcher& fetcher, std::string_view name,
                    const std::function<void(const RecordView&)>& on_record) {
    RowRange rows = index.find(hash_name(name));
    if (rows.empty()) return 0;
    std::vector<VirtualOffset> voffsets;
    index.read_voffsets(rows, voffsets);
    uint64_t n_records = 0;
    for (VirtualOffset voffset : voffsets) {
        std::optional<RecordView> record = fetcher.fetch(voffset, name);
        if (!record) continue;
        on_record(*record);
        ++n_records;
    }
    return n_records;
}

}  // namespace qbix
