#include "view_worker.hpp"

#include <htslib/kstring.h>

#include <new>
#include <optional>
#include <stdexcept>

#include "output_header.hpp"

namespace qbix::cli {

class ViewWorkers::Worker : public RecordWorker {
   public:
    Worker(const ViewArguments& arguments, const sam_hdr_t* header, const NameSelection& selection,
           Encoding encoding, Result& result)
        : arguments_(arguments),
          // An expression may make htslib parse the header, which only one thread may do.
          own_header_(arguments.filter.expression.empty() ? nullptr : duplicate_header(header)),
          header_(own_header_ ? own_header_.get() : header),
          selection_(selection),
          encoding_(encoding),
          result_(result),
          record_(bam_init1()) {
        if (!record_) throw std::bad_alloc();
        if (!arguments.filter.is_empty()) filter_.emplace(arguments.filter, header);
    }
    ~Worker() override { ks_free(&line_); }

    void process(const RecordView& view, std::vector<uint8_t>& out) override {
        if (!selection_.takes_everything() && !selection_.takes(view.qname(), result_.tally))
            return;
        if (filter_ || arguments_.bed || encoding_ == Encoding::kText)
            decode_record(view, header_, record_.get());
        if (filter_ && !filter_->passes(record_.get(), header_)) return;
        if (arguments_.bed && !arguments_.bed->overlaps(record_.get(), header_)) return;
        ++result_.n_selected;
        append(view, out);
    }

   private:
    void append(const RecordView& view, std::vector<uint8_t>& out) {
        switch (encoding_) {
            case Encoding::kNone:
                break;
            case Encoding::kText:
                append_text(out);
                break;
            case Encoding::kBam:
                out.insert(out.end(), view.bytes.begin(), view.bytes.end());
                break;
            case Encoding::kNames:
                out.push_back(static_cast<uint8_t>(view.qname().size()));
                out.insert(out.end(), view.qname().begin(), view.qname().end());
                break;
        }
    }

    void append_text(std::vector<uint8_t>& out) {
        if (!arguments_.tags.is_empty()) arguments_.tags.apply(record_.get());
        if (sam_format1(header_, record_.get(), &line_) < 0 || kputc('\n', &line_) < 0)
            throw std::runtime_error(std::string("the record \"") + bam_get_qname(record_.get()) +
                                     "\" cannot be written as SAM");
        // From bytes to bytes: a range of another type would be converted one by one.
        const auto* line = reinterpret_cast<const uint8_t*>(line_.s);
        out.insert(out.end(), line, line + line_.l);
    }

    const ViewArguments& arguments_;
    Header own_header_;
    const sam_hdr_t* header_;
    const NameSelection& selection_;
    Encoding encoding_;
    Result& result_;
    Record record_;
    std::optional<RecordFilter> filter_;
    kstring_t line_ = KS_INITIALIZE;
};

ViewWorkers::ViewWorkers(const ViewArguments& arguments, const sam_hdr_t* header,
                         const NameSelection& selection, Encoding encoding)
    : arguments_(arguments), header_(header), selection_(selection), encoding_(encoding) {}

ViewWorkers::~ViewWorkers() = default;

MakeRecordWorker ViewWorkers::maker() {
    return [this]() -> std::unique_ptr<RecordWorker> {
        std::lock_guard<std::mutex> lock(mutex_);
        results_.push_back(std::make_unique<Result>());
        results_.back()->tally = selection_.new_tally();
        return std::make_unique<Worker>(arguments_, header_, selection_, encoding_,
                                        *results_.back());
    };
}

// htslib keeps the library of a record in a buffer that all threads share.
size_t ViewWorkers::n_threads(size_t wanted) const {
    return arguments_.filter.expression.find("library") == std::string::npos ? wanted : 1;
}

void ViewWorkers::merge_into(NameSelection& selection) const {
    for (const auto& result : results_) selection.merge(result->tally);
}

uint64_t ViewWorkers::n_selected() const {
    uint64_t n = 0;
    for (const auto& result : results_) n += result->n_selected;
    return n;
}

}  // namespace qbix::cli
