#include "qbix/index_collector.hpp"

#include <optional>

#include "index_target.hpp"
#include "name_rows.hpp"
#include "output_file.hpp"
#include "qbi_writer.hpp"
#include "qbix/error.hpp"
#include "qbix/name_hash.hpp"
#include "qbx_build.hpp"

namespace qbix {

struct IndexCollector::State {
    explicit State(const BuildOptions& given)
        : options(given),
          spill_prefix(qbix::spill_prefix(given, given.index_path)),
          rows(collection_bytes(given.memory_bytes), spill_prefix),
          file(given.index_path) {
        if (given.format == IndexFormat::kQbx) qbx.emplace(file, given.remainder_bits);
    }

    NameRowsOptions sort_options() const {
        NameRowsOptions sort;
        sort.n_threads = static_cast<size_t>(options.n_threads);
        sort.memory_bytes = options.memory_bytes;
        sort.spill_prefix = spill_prefix;
        sort.cancel = options.cancel;
        return sort;
    }

    BuildOptions options;
    std::string spill_prefix;
    RowBuckets rows;
    OutputFile file;
    std::optional<QbxBuild> qbx;  // its blocks are written while records come
    uint64_t last_coffset = UINT64_MAX;
    uint64_t n_records = 0;
};

namespace {

const BuildOptions& checked(const BuildOptions& options) {
    if (options.index_path.empty()) throw Error(ErrorCode::kUsage, "the index needs a path");
    check_threads_and_memory(options);
    refuse_to_overwrite_data(options.index_path);
    return options;
}

}  // namespace

IndexCollector::IndexCollector(const BuildOptions& options)
    : state_(std::make_unique<State>(checked(options))) {}

IndexCollector::~IndexCollector() = default;

void IndexCollector::add(std::string_view qname, VirtualOffset voffset) {
    State& s = *state_;
    const uint64_t ordinal = s.n_records++;
    s.rows.add(hash_name(qname), s.qbx ? VirtualOffset{ordinal} : voffset);
    if (!s.qbx || voffset.coffset() == s.last_coffset) return;
    s.last_coffset = voffset.coffset();
    const BlockStart block{voffset.coffset(), voffset.uoffset(), ordinal};
    s.qbx->add_blocks({&block, 1});
}

BuildReport IndexCollector::finish(const std::string& bam_path) {
    State& s = *state_;
    const BamFile bam(bam_path);
    BuildReport report;
    report.index_path = s.options.index_path;
    report.format = s.options.format;
    report.n_records = s.n_records;
    RowBuckets* const collections[] = {&s.rows};
    if (s.qbx) {
        report.spilled_bytes = sort_collected(collections, *s.qbx, s.sort_options());
        s.qbx->complete(bam, bam.identity());
        report.n_unique = s.qbx->n_names();
        report.index_bytes = s.qbx->size_bytes();
    } else {
        QbiWriter writer(s.file, s.options.format, s.options.radix_bits, bam.identity());
        report.spilled_bytes = sort_collected(collections, writer, s.sort_options());
        report.radix_bits = writer.radix_bits();
        report.n_unique = writer.n_unique();
        report.index_bytes = writer.size_bytes();
    }
    s.file.commit();
    return report;
}

}  // namespace qbix
