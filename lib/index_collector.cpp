#include "qbix/index_collector.hpp"

#include "index_target.hpp"
#include "name_rows.hpp"
#include "output_file.hpp"
#include "qbi_writer.hpp"
#include "qbix/error.hpp"
#include "qbix/name_hash.hpp"

namespace qbix {

struct IndexCollector::State {
    explicit State(const BuildOptions& given)
        : options(given),
          spill_prefix(given.tmp_prefix.empty() ? given.index_path : given.tmp_prefix),
          rows(collection_bytes(given.memory_bytes), spill_prefix) {}

    BuildOptions options;
    std::string spill_prefix;
    RowBuckets rows;
    uint64_t n_records = 0;
};

namespace {

const BuildOptions& checked(const BuildOptions& options) {
    if (options.index_path.empty()) throw Error(ErrorCode::kUsage, "the index needs a path");
    if (options.n_threads < 1) throw Error(ErrorCode::kUsage, "at least one thread is needed");
    if (options.memory_bytes < kLeastMemoryBytes)
        throw Error(ErrorCode::kUsage, "the memory limit is too small: at least 16M is needed");
    refuse_to_overwrite_data(options.index_path);
    return options;
}

}  // namespace

IndexCollector::IndexCollector(const BuildOptions& options)
    : state_(std::make_unique<State>(checked(options))) {}

IndexCollector::~IndexCollector() = default;

void IndexCollector::add(std::string_view qname, VirtualOffset voffset) {
    state_->rows.add(hash_name(qname), voffset);
    ++state_->n_records;
}

BuildReport IndexCollector::finish(const std::string& bam_path) {
    const BuildOptions& options = state_->options;
    const BamFile bam(bam_path);
    BuildReport report;
    report.index_path = options.index_path;
    report.format = options.format;
    report.n_records = state_->n_records;

    OutputFile file(report.index_path);
    QbiWriter writer(file, options.format, options.radix_bits, bam.identity());
    NameRowsOptions sort;
    sort.n_threads = static_cast<size_t>(options.n_threads);
    sort.memory_bytes = options.memory_bytes;
    sort.spill_prefix = state_->spill_prefix;
    sort.cancel = options.cancel;
    RowBuckets* const collections[] = {&state_->rows};
    report.spilled_bytes = sort_collected(collections, writer, sort);
    file.commit();

    report.radix_bits = writer.radix_bits();
    report.n_unique = writer.n_unique();
    report.index_bytes = writer.size_bytes();
    return report;
}

}  // namespace qbix
