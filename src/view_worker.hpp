// view_worker.hpp: what a thread of the record pipeline does with a record for qbix view.
#pragma once

#include <htslib/sam.h>

#include <memory>
#include <mutex>
#include <vector>

#include "name_selection.hpp"
#include "qbix/record_pipeline.hpp"
#include "view_arguments.hpp"

namespace qbix::cli {

enum class Encoding {
    kNone,   // only count
    kText,   // SAM lines
    kBam,    // encoded records, unchanged
    kNames,  // a byte of length, then the name
};

// Makes the workers, and adds up what they saw once they are done.
class ViewWorkers {
   public:
    ViewWorkers(const ViewArguments& arguments, const sam_hdr_t* header,
                const NameSelection& selection, Encoding encoding);
    ~ViewWorkers();

    MakeRecordWorker maker();
    // Busy threads, at most `wanted`: one where htslib's evaluation is not for more.
    size_t n_threads(size_t wanted) const;

    // After the pipeline has ended.
    void merge_into(NameSelection& selection) const;
    uint64_t n_selected() const;

   private:
    class Worker;
    struct Result {
        NameSelection::Tally tally;
        uint64_t n_selected = 0;
    };

    const ViewArguments& arguments_;
    const sam_hdr_t* header_;
    const NameSelection& selection_;
    Encoding encoding_;
    std::mutex mutex_;                              // guards results_
    std::vector<std::unique_ptr<Result>> results_;  // one a worker
};

}  // namespace qbix::cli
