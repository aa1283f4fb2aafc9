#include "qbix/index_builder.hpp"

#include "index_target.hpp"
#include "name_rows.hpp"
#include "output_file.hpp"
#include "qbi_writer.hpp"
#include "qbix/error.hpp"
#include "qbx_build.hpp"

namespace qbix {
namespace {

void require_eof_block(const BamFile& bam) {
    if (!bam.has_eof_block())
        throw Error(ErrorCode::kNoEof,
                    "\"" + bam.path() +
                        "\" has no BGZF EOF block at its end: it was cut, or written by a program "
                        "that leaves it out; to index what is there use --allow-no-eof");
}

void refuse_a_changed_file(const BamFile& bam) {
    if (BamFile(bam.path()).identity() != bam.identity())
        throw Error(ErrorCode::kIo,
                    "\"" + bam.path() + "\" changed while it was read; start again");
}

NameRowsOptions rows_options(const BamFile& bam, const BuildOptions& options,
                             const std::string& index_path) {
    NameRowsOptions rows;
    rows.n_threads = static_cast<size_t>(options.n_threads);
    rows.memory_bytes = options.memory_bytes;
    rows.spill_prefix = spill_prefix(options, index_path);
    rows.cancel = options.cancel;
    if (options.on_progress)
        rows.on_progress = [&bam, &options](uint64_t n_records, uint64_t coffset) {
            options.on_progress({n_records, coffset, bam.identity().size_bytes});
        };
    return rows;
}

void build_qbi(const BamFile& bam, OutputFile& file, const BuildOptions& options,
               BuildReport& report) {
    QbiWriter writer(file, options.format, options.radix_bits, bam.identity());
    const NameRowsReport rows =
        stream_name_rows(bam, writer, rows_options(bam, options, report.index_path));
    report.radix_bits = writer.radix_bits();
    report.n_records = rows.n_records;
    report.n_unique = writer.n_unique();
    report.index_bytes = writer.size_bytes();
    report.spilled_bytes = rows.spilled_bytes;
}

void build_qbx(const BamFile& bam, OutputFile& file, const BuildOptions& options,
               BuildReport& report) {
    QbxBuild build(file, options.remainder_bits);
    NameRowsOptions rows_are = rows_options(bam, options, report.index_path);
    rows_are.on_blocks = [&build](std::span<const BlockStart> blocks) { build.add_blocks(blocks); };
    const NameRowsReport rows = stream_name_rows(bam, build, rows_are);
    build.complete(bam, bam.identity());
    report.n_records = rows.n_records;
    report.n_unique = build.n_names();
    report.index_bytes = build.size_bytes();
    report.spilled_bytes = rows.spilled_bytes;
}

}  // namespace

std::string default_index_path(const std::string& bam_path, IndexFormat format) {
    return bam_path + (format == IndexFormat::kQbx ? ".qbx" : ".qbi");
}

BuildReport build_index(const std::string& bam_path, const BuildOptions& options) {
    check_threads_and_memory(options);
    const BamFile bam(bam_path);
    if (!options.allow_no_eof) require_eof_block(bam);
    BuildReport report;
    report.index_path = options.index_path.empty() ? default_index_path(bam_path, options.format)
                                                   : options.index_path;
    report.format = options.format;
    refuse_to_overwrite_data(report.index_path);

    OutputFile file(report.index_path);
    if (options.format == IndexFormat::kQbx)
        build_qbx(bam, file, options, report);
    else
        build_qbi(bam, file, options, report);
    refuse_a_changed_file(bam);
    file.commit();
    return report;
}

}  // namespace qbix
