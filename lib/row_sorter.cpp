#include "row_sorter.hpp"

#include <algorithm>
#include <memory>
#include <optional>
#include <queue>
#include <vector>

#include "qbix/error.hpp"
#include "row_sort.hpp"
#include "spill_file.hpp"
#include "thread_group.hpp"

namespace qbix {
namespace {

constexpr int kBucketBits = 8;  // kBuckets == 1 << kBucketBits
constexpr size_t kMergePieceRows = 65536;

using Collections = std::span<const RowBuckets* const>;

uint64_t bucket_size(Collections collections, size_t bucket) {
    uint64_t n = 0;
    for (const RowBuckets* collection : collections) n += collection->count(bucket);
    return n;
}

// All rows of a bucket, over all collections. One reader at a time: each has a buffer.
class BucketRows {
   public:
    BucketRows(Collections collections, size_t bucket)
        : collections_(collections), bucket_(bucket) {}

    size_t next(std::span<IndexRow> out) {
        size_t n = 0;
        while (n < out.size() && i_ < collections_.size()) {
            if (!reader_) reader_.emplace(*collections_[i_], bucket_);
            const size_t n_read = reader_->next(out.subspan(n));
            n += n_read;
            if (n_read != 0) continue;
            reader_.reset();
            ++i_;
        }
        return n;
    }

   private:
    Collections collections_;
    size_t bucket_;
    std::optional<BucketReader> reader_;
    size_t i_ = 0;
};

// A sorted run in a spill file, read through a small buffer.
class SortedRun {
   public:
    SortedRun(int fd, uint64_t first_row, uint64_t n_rows, size_t buffer_rows,
              const std::string& prefix)
        : fd_(fd), next_row_(first_row), end_row_(first_row + n_rows), prefix_(prefix) {
        buffer_.reserve(buffer_rows);
        refill();
    }
    bool empty() const { return at_ == buffer_.size(); }
    const IndexRow& front() const { return buffer_[at_]; }
    void pop() {
        if (++at_ == buffer_.size()) refill();
    }

   private:
    void refill() {
        buffer_.resize(std::min<uint64_t>(buffer_.capacity(), end_row_ - next_row_));
        at_ = 0;
        read_spill(fd_,
                   {reinterpret_cast<uint8_t*>(buffer_.data()), buffer_.size() * sizeof(IndexRow)},
                   next_row_ * sizeof(IndexRow), prefix_);
        next_row_ += buffer_.size();
    }

    int fd_;
    uint64_t next_row_;
    uint64_t end_row_;
    const std::string& prefix_;
    std::vector<IndexRow> buffer_;
    size_t at_ = 0;
};

// One thread of the sort.
class SortWorker {
   public:
    SortWorker(Collections collections, RowSink& sink, const SortOptions& options)
        : collections_(collections),
          sink_(sink),
          options_(options),
          max_rows_(std::max<uint64_t>(options.memory_bytes / options.n_threads / kSortBytesPerRow,
                                       1024)) {}

    void sort_bucket(size_t bucket, uint64_t first_row) {
        if (options_.cancel && options_.cancel->load(std::memory_order_relaxed))
            throw Error(ErrorCode::kCancelled, "cancelled");
        const uint64_t n_rows = bucket_size(collections_, bucket);
        if (n_rows == 0) return;
        if (n_rows <= max_rows_)
            sort_in_memory(bucket, first_row, n_rows);
        else
            sort_on_disk(bucket, first_row, n_rows);
    }

   private:
    void sort_in_memory(size_t bucket, uint64_t first_row, uint64_t n_rows) {
        make_room(n_rows);
        const std::span rows(unsorted_.data(), n_rows), sorted(sorted_.data(), n_rows);
        BucketRows(collections_, bucket).next(rows);
        sorter_.sort(rows, kBucketBits, sorted);
        sink_.consume({first_row, sorted, false});
    }

    void make_room(uint64_t n_rows) {
        if (unsorted_.size() >= n_rows) return;
        unsorted_.resize(n_rows);
        sorted_.resize(n_rows);
    }

    void sort_on_disk(size_t bucket, uint64_t first_row, uint64_t n_rows) {
        const UniqueFd file = open_spill_file(options_.spill_prefix);
        const uint64_t run_rows = max_rows_;
        write_runs(file.get(), bucket, run_rows);
        const uint64_t n_runs = (n_rows + run_rows - 1) / run_rows;
        const size_t buffer_rows = std::clamp<uint64_t>(2 * run_rows / n_runs, 256, 65536);
        std::vector<SortedRun> runs;
        for (uint64_t row = 0; row < n_rows; row += run_rows)
            runs.emplace_back(file.get(), row, std::min(run_rows, n_rows - row), buffer_rows,
                              options_.spill_prefix);
        merge(runs, first_row);
    }

    void write_runs(int fd, size_t bucket, uint64_t run_rows) {
        make_room(run_rows);
        BucketRows rows(collections_, bucket);
        uint64_t file_offset = 0;
        while (const size_t n = rows.next({unsorted_.data(), run_rows})) {
            sorter_.sort({unsorted_.data(), n}, kBucketBits, {sorted_.data(), n});
            const std::span bytes(reinterpret_cast<const uint8_t*>(sorted_.data()),
                                  n * sizeof(IndexRow));
            write_spill(fd, bytes, file_offset, options_.spill_prefix);
            file_offset += bytes.size();
        }
        unsorted_ = {};  // their memory is for the merge now
        sorted_ = {};
    }

    void merge(std::vector<SortedRun>& runs, uint64_t first_row) {
        const auto is_later = [](const SortedRun* a, const SortedRun* b) {
            return b->front() < a->front();
        };
        std::priority_queue<SortedRun*, std::vector<SortedRun*>, decltype(is_later)> heads(
            is_later);
        for (SortedRun& run : runs) heads.push(&run);
        std::vector<IndexRow> piece;
        piece.reserve(kMergePieceRows);
        bool continues_group = false;
        const auto hand_on = [&] {
            sink_.consume({first_row, piece, continues_group});
            first_row += piece.size();
        };
        while (!heads.empty()) {
            SortedRun* run = heads.top();
            heads.pop();
            if (piece.size() == kMergePieceRows) {
                hand_on();
                continues_group = piece.back().hash == run->front().hash;
                piece.clear();
            }
            piece.push_back(run->front());
            run->pop();
            if (!run->empty()) heads.push(run);
        }
        hand_on();
    }

    Collections collections_;
    RowSink& sink_;
    const SortOptions& options_;
    const uint64_t max_rows_;
    BinSorter sorter_;
    std::vector<IndexRow> unsorted_;
    std::vector<IndexRow> sorted_;
};

}  // namespace

uint64_t largest_bucket(Collections collections) {
    uint64_t largest = 0;
    for (size_t b = 0; b < kBuckets; ++b) largest = std::max(largest, bucket_size(collections, b));
    return largest;
}

void sort_rows(Collections collections, RowSink& sink, const SortOptions& options) {
    std::vector<uint64_t> first_rows;
    uint64_t n_rows = 0;
    for (size_t b = 0; b < kBuckets; ++b) {
        first_rows.push_back(n_rows);
        n_rows += bucket_size(collections, b);
    }
    sink.begin(n_rows);
    std::atomic<size_t> next_bucket{0};
    run_threads(
        options.n_threads,
        [&](size_t) {
            SortWorker worker(collections, sink, options);
            for (size_t b; (b = next_bucket.fetch_add(1)) < kBuckets;)
                worker.sort_bucket(b, first_rows[b]);
        },
        [&] {
            next_bucket = kBuckets;
            sink.abort();
        });
    sink.finish();
}

}  // namespace qbix
