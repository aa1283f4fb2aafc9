#include "qbix/name_lookup.hpp"

#include <algorithm>
#include <string>

#include "qbix/error.hpp"
#include "qbix/name_hash.hpp"

namespace qbix {
namespace {

constexpr size_t kBatchNames = 4096;

}  // namespace

uint64_t append_candidates(const NameIndex& index, const NameList& names, size_t begin, size_t end,
                           std::vector<NameCandidate>& candidates) {
    std::vector<NameHash> hashes;
    for (size_t i = begin; i < end; ++i)
        hashes.push_back(hash_name(names.name(static_cast<uint32_t>(i))));
    PlaceGroups found;
    index.find_places_batch(hashes, found);
    uint64_t n_found = 0;
    for (size_t i = begin; i < end; ++i) {
        const auto places = found.of(i - begin);
        n_found += !places.empty();
        for (const RecordPlace& place : places)
            candidates.push_back({place.voffset, place.n_skip, static_cast<uint32_t>(i)});
    }
    return n_found;
}

std::vector<NameCandidate> find_candidates(const NameIndex& index, const NameList& names) {
    std::vector<NameCandidate> candidates;
    for (size_t begin = 0; begin < names.size(); begin += kBatchNames)
        append_candidates(index, names, begin, std::min(begin + kBatchNames, names.size()),
                          candidates);
    std::sort(candidates.begin(), candidates.end());
    return candidates;
}

std::optional<RecordView> NameFetcher::fetch(const RecordPlace& place, std::string_view name) {
    RecordView record = reader_.read_at(place);
    std::string_view qname = record.qname();
    if (qname == name) return record;
    if (index_.matches(hash_name(name), hash_name(qname))) return std::nullopt;
    throw Error(ErrorCode::kForeignIndex, "the index is of another BAM: at virtual offset " +
                                              std::to_string(record.voffset.value) +
                                              " stands another read than indexed; build the index "
                                              "again (qbix index)");
}

uint64_t fetch_name(const NameIndex& index, NameFetcher& fetcher, std::string_view name,
                    const std::function<void(const RecordView&)>& on_record) {
    std::vector<RecordPlace> places;
    index.find_places(hash_name(name), places);
    std::sort(places.begin(), places.end());  // of several names, should they look alike
    uint64_t n_records = 0;
    for (const RecordPlace& place : places) {
        std::optional<RecordView> record = fetcher.fetch(place, name);
        if (!record) continue;
        on_record(*record);
        ++n_records;
    }
    return n_records;
}

}  // namespace qbix
