// qbix view: records by name, in file order, as samtools view prints them.
//
// Records come from one of two machines. The pipeline (many threads, encoded records) serves a
// BAM file in file order into SAM text, BAM or a count; everything else goes record by record
// through htslib. Both select in the same way and print the same.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <optional>
#include <tuple>

#include "commands.hpp"
#include "output_header.hpp"
#include "qbix/bam_file.hpp"
#include "qbix/error.hpp"
#include "qbix/fetch_plan.hpp"
#include "qbix/index_check.hpp"
#include "qbix/index_path.hpp"
#include "qbix/name_hash.hpp"
#include "qbix/record_pipeline.hpp"
#include "record_source.hpp"
#include "view_arguments.hpp"
#include "view_worker.hpp"

namespace qbix::cli {
namespace {

constexpr CommandText kText{"view", kViewUsage,
                            "; shorter lists, fewer threads or a smaller --plan-memory take less"};

// The outputs of one command.
class ViewOutput {
   public:
    ViewOutput(const ViewArguments& arguments, ThreadPool& pool, const sam_hdr_t* header)
        : arguments_(arguments), header_(header) {
        if (!arguments.count_only) {
            main_ = std::make_unique<SamOutput>(arguments.output, pool, arguments.write_index);
            if (main_->is_plain_text()) main_->expect_text();
        }
        if (!arguments.unselected_path.empty()) open_unselected(pool);
        write_headers();
    }

    // How the pipeline is to encode; nullopt when the output takes bam1_t only.
    std::optional<Encoding> encoding() const {
        if (unselected_) return std::nullopt;
        if (!main_) return Encoding::kNone;
        if (main_->is_plain_text()) return Encoding::kText;
        if (main_->is_bam() && arguments_.tags.is_empty()) return Encoding::kBam;
        return std::nullopt;
    }

    void write(std::span<const uint8_t> bytes) {
        if (main_->is_bam())
            main_->write_encoded(bytes);
        else
            main_->write_text(bytes);
    }

    void write(bam1_t* record, bool is_selected) {
        n_selected_ += is_selected;
        SamOutput* out = is_selected ? main_.get() : unselected_.get();
        if (!out) return;
        if (is_selected && !arguments_.tags.is_empty()) arguments_.tags.apply(record);
        out->write(header_, record);
    }

    void count(uint64_t n_selected) { n_selected_ += n_selected; }

    void close() {
        if (main_) main_->close();
        if (unselected_) unselected_->close();
        if (!arguments_.count_only) return;
        TextOutput out(arguments_.output.path);
        out.write(std::to_string(n_selected_) + "\n");
        out.close();
    }

   private:
    void open_unselected(ThreadPool& pool) {
        OutputSpec spec;
        spec.path = arguments_.unselected_path;
        spec.forced_format = arguments_.output.forced_format;
        spec.level = arguments_.output.level;
        unselected_ = std::make_unique<SamOutput>(spec, pool);
    }

    bool wants_header(const SamOutput& out) const {
        return out.always_has_header() || arguments_.with_header || arguments_.header_only;
    }

    void write_headers() {
        const bool main_wants = main_ && wants_header(*main_);
        const bool unselected_wants = unselected_ && wants_header(*unselected_);
        const auto& groups = arguments_.filter.read_groups;
        const bool is_changed = arguments_.list_order || !arguments_.no_pg || groups;
        if ((main_wants || unselected_wants) && is_changed) {
            own_header_ = duplicate_header(header_);
            if (arguments_.list_order) mark_unsorted(own_header_.get());
            if (groups)
                prune_read_groups(own_header_.get(), [&](const std::string& id) {
                    return groups->count(id) != arguments_.filter.read_groups_are_excluded;
                });
            if (!arguments_.no_pg)
                add_program_line(own_header_.get(), arguments_.argc, arguments_.argv);
            header_ = own_header_.get();
        }
        if (main_wants) main_->write_header(header_);
        if (unselected_wants) unselected_->write_header(header_);
    }

    const ViewArguments& arguments_;
    const sam_hdr_t* header_;
    Header own_header_;
    std::unique_ptr<SamOutput> main_;        // none when counting
    std::unique_ptr<SamOutput> unselected_;  // -U
    uint64_t n_selected_ = 0;
};

class View {
   public:
    explicit View(ViewArguments& arguments)
        : arguments_(arguments), pool_(arguments.n_extra_threads) {}

    int run() {
        if (arguments_.header_only) return print_header();
        NameSelection selection(arguments_.names, kText.name);
        open_bam(selection);
        if (!arguments_.fetch_templates) {
            select(selection, nullptr);
            return report(selection);
        }
        NameList names;
        select(selection, &names);
        arguments_.filter = {};
        arguments_.bed.reset();
        arguments_.regions.clear();
        NameSelection templates(std::move(names));
        open_bam(templates);
        select(templates, nullptr);
        return report(selection);
    }

   private:
    int print_header() {
        std::unique_ptr<RecordSource> source = open_scan(input());
        ViewOutput(arguments_, pool_, source->header()).close();
        return 0;
    }

    Input input() { return {arguments_.input_path, &arguments_.input_format, &pool_}; }

    // A BAM file, and where names are to be looked up, its index.
    void open_bam(const NameSelection& selection) {
        if (arguments_.input_path == "-") return;
        try {
            if (!bam_) bam_.emplace(arguments_.input_path);
        } catch (const Error& e) {
            if (e.code() != ErrorCode::kNotBam || !arguments_.index_path.empty()) throw;
            return;
        }
        if (!selection.has_list() || index_) return;
        std::string path = arguments_.index_path.empty() ? find_index_path(arguments_.input_path)
                                                         : arguments_.index_path;
        if (path.empty()) return;
        index_ = open_name_index(path, arguments_.preload);
        check_belongs(*index_, *bam_);
    }

    // Regions, and -L alone where no name narrows the search and there is an index for it.
    bool reads_regions(const NameSelection& selection) const {
        if (!arguments_.regions.empty() || arguments_.use_region_index) return true;
        return arguments_.bed && !selection.has_list() && arguments_.input_path != "-" &&
               arguments_.unselected_path.empty() && has_region_index(arguments_.input_path);
    }

    // Runs the selected records into the output, or their names into `names`.
    void select(NameSelection& selection, NameList* names) {
        const bool by_region = reads_regions(selection);
        planned_names_ = &selection.names();
        plan_ = by_region ? std::nullopt : make_plan(selection);
        if (!plan_ && arguments_.list_order)
            throw UsageError("--list-order needs names and an index (qbix index)");
        if (!index_) selection.watch_cleaned_names();
        std::unique_ptr<RecordSource> source;
        if (by_region || !bam_ || arguments_.list_order) source = open_source(by_region);
        if (names) {
            collect(source.get(), selection, *names);
            return;
        }
        ViewOutput out(arguments_, pool_, source ? source->header() : bam_->header());
        if (!source && !out.encoding()) source = open_source(false);
        if (source) {
            read_records(*source, selection,
                         [&](bam1_t* record, bool is_selected) { out.write(record, is_selected); });
        } else {
            out.count(run_pipeline(selection, *out.encoding(),
                                   [&](std::span<const uint8_t> bytes) { out.write(bytes); }));
        }
        out.close();
    }

    void collect(RecordSource* source, NameSelection& selection, NameList& names) {
        if (source) {
            read_records(*source, selection, [&](bam1_t* record, bool is_selected) {
                if (is_selected) names.add(bam_get_qname(record));
            });
            return;
        }
        run_pipeline(selection, Encoding::kNames, [&](std::span<const uint8_t> bytes) {
            for (size_t i = 0; i < bytes.size(); i += 1 + bytes[i])
                names.add({reinterpret_cast<const char*>(&bytes[i + 1]), bytes[i]});
        });
    }

    std::optional<FetchPlan> make_plan(const NameSelection& selection) {
        if (!index_ || !selection.has_list() || !arguments_.unselected_path.empty()) {
            if (arguments_.explain)
                fprintf(stderr, "qbix view: plan: read the whole file: %s\n",
                        !selection.has_list() ? "no names are asked for"
                        : !index_             ? "there is no index"
                                              : "-U asks for the other records too");
            return std::nullopt;
        }
        FetchPlan plan = plan_fetch(*index_, *bam_, selection.names(),
                                    {.memory_bytes = arguments_.plan_memory_bytes});
        // For measurements: the way that the plan would not take.
        const char* forced = getenv("QBIX_PLAN");
        if (arguments_.list_order || (forced && std::string(forced) == "fetch")) {
            if (plan.kind == PlanKind::kScan)
                plan.candidates = find_candidates(*index_, selection.names());
            plan.kind = PlanKind::kFetch;
        } else if (forced && std::string(forced) == "scan") {
            plan.kind = PlanKind::kScan;
        }
        if (arguments_.explain) explain(plan);
        if (plan.kind == PlanKind::kScan) return std::nullopt;
        if (arguments_.list_order)
            std::sort(plan.candidates.begin(), plan.candidates.end(),
                      [](const NameCandidate& a, const NameCandidate& b) {
                          return std::tuple(a.name, a.place()) < std::tuple(b.name, b.place());
                      });
        return plan;
    }

    static void explain(const FetchPlan& plan) {
        fprintf(stderr,
                "qbix view: plan: %s: %s; %llu of %llu names indexed, %llu candidates in %llu "
                "blocks of about %llu; cost in blocks: fetch %.0f, scan %.0f\n",
                plan.kind == PlanKind::kFetch ? "fetch" : "read the whole file",
                plan.reason.c_str(), static_cast<unsigned long long>(plan.n_names_indexed),
                static_cast<unsigned long long>(plan.n_names),
                static_cast<unsigned long long>(plan.n_candidates),
                static_cast<unsigned long long>(plan.n_touched_blocks),
                static_cast<unsigned long long>(plan.n_blocks_estimated), plan.fetch_cost,
                plan.scan_cost);
    }

    std::unique_ptr<RecordSource> open_source(bool by_region) {
        if (!by_region && plan_)
            return open_candidates(*index_, *bam_, *planned_names_, plan_->candidates);
        if (!by_region) return open_scan(input());
        std::vector<std::string> regions = arguments_.regions;
        const bool is_merged = arguments_.use_region_index || regions.empty();
        // Beside regions a BED file narrows, as in samtools.
        if (arguments_.bed && regions.empty()) regions = arguments_.bed->region_strings();
        return open_regions(input(), regions, is_merged);
    }

    template <class Take>
    void read_records(RecordSource& source, NameSelection& selection, Take take) {
        std::optional<RecordFilter> filter;
        Header header = duplicate_header(source.header());
        if (!arguments_.filter.is_empty()) filter.emplace(arguments_.filter, header.get());
        NameSelection::Tally tally = selection.new_tally();
        Record record(bam_init1());
        uint64_t n_records = 0;
        while (source.next(record.get())) {
            ++n_records;
            const bool is_selected =
                selection.takes(bam_get_qname(record.get()), tally) &&
                (!filter || filter->passes(record.get(), header.get())) &&
                (!arguments_.bed || arguments_.bed->overlaps(record.get(), header.get()));
            take(record.get(), is_selected);
        }
        selection.merge(tally);
        explain_read(n_records, 0);
    }

    // Returns how many records were selected.
    uint64_t run_pipeline(NameSelection& selection, Encoding encoding, const RecordSink& sink) {
        ViewWorkers workers(arguments_, bam_->header(), selection, encoding);
        PipelineOptions options;
        options.n_threads = workers.n_threads(pipeline_threads(encoding));
        const PipelineReport read =
            plan_ ? fetch_records(*index_, *bam_, plan_->candidates, selection.names(),
                                  workers.maker(), sink, options)
                  : scan_records(*bam_, workers.maker(), sink, options);
        workers.merge_into(selection);
        explain_read(read.n_records, read.n_blocks_read);
        return workers.n_selected();
    }

    // Where the threads of the pool compress, most of the work is theirs.
    size_t pipeline_threads(Encoding encoding) const {
        const size_t n_extra = static_cast<size_t>(arguments_.n_extra_threads);
        const bool compresses = encoding == Encoding::kBam && arguments_.output.level != 0;
        return 1 + (compresses ? n_extra / 4 : n_extra);
    }

    void explain_read(uint64_t n_records, uint64_t n_blocks) const {
        if (!arguments_.explain) return;
        fprintf(stderr, "qbix view: read: %llu records",
                static_cast<unsigned long long>(n_records));
        if (n_blocks) fprintf(stderr, ", %llu blocks", static_cast<unsigned long long>(n_blocks));
        fputc('\n', stderr);
    }

    int report(const NameSelection& selection) const {
        return selection.report([&](std::string_view name) {
            return index_ ? index_->has_name(hash_name(name)) : selection.saw_cleaned_name(name);
        });
    }

    ViewArguments& arguments_;
    ThreadPool pool_;
    std::optional<BamFile> bam_;
    std::unique_ptr<const NameIndex> index_;
    std::optional<FetchPlan> plan_;  // none: read everything
    const NameList* planned_names_ = nullptr;
};

}  // namespace

int main_view(int argc, char** argv) {
    ViewArguments arguments;
    arguments.argc = argc;
    arguments.argv = argv;
    Options options(Options::LetterH::kOwn);
    arguments.add_to(options);
    return run_command(kText, options, argc, argv, [&](const std::vector<std::string>& args) {
        arguments.finish(args);
        return View(arguments).run();
    });
}

}  // namespace qbix::cli
