#include "sam_text.hpp"

#include <htslib/hfile.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <exception>
#include <mutex>
#include <stdexcept>
#include <thread>
#include <utility>
#include <vector>

#include "bounded_queue.hpp"

namespace qbix::cli {
namespace {

constexpr size_t kReadBytes = 64 << 10;

struct Piece {
    uint64_t number = 0;
    std::string text;
};

// Threads that write pieces, each through a producer of its own.
class PieceWriters {
   public:
    PieceWriters(bgzfw::Writer& writer, int n_threads)
        : writer_(writer), queue_(static_cast<size_t>(n_threads)) {
        try {
            for (int i = 0; i < n_threads; ++i) threads_.emplace_back([this] { run(); });
        } catch (...) {
            queue_.abort();
            join();
            throw;
        }
    }
    ~PieceWriters() {
        queue_.abort();
        join();
    }
    PieceWriters(const PieceWriters&) = delete;
    PieceWriters& operator=(const PieceWriters&) = delete;

    // An emptied text, for its memory.
    std::string take_spare() {
        const std::lock_guard lock(mutex_);
        if (spare_.empty()) return {};
        std::string text = std::move(spare_.back());
        spare_.pop_back();
        return text;
    }

    // False when a thread has failed.
    bool push(Piece piece) { return queue_.push(std::move(piece)); }

    // Waits for everything pushed. Throws what a thread threw first.
    void finish() {
        queue_.close();
        join();
        if (error_) std::rethrow_exception(error_);
    }

   private:
    void run() noexcept {
        try {
            bgzfw::Producer producer = writer_.producer();
            while (auto piece = queue_.pop()) {
                producer.write_sam(piece->text);
                producer.submit(piece->number);
                const std::lock_guard lock(mutex_);
                spare_.push_back(std::move(piece->text));
            }
            producer.finish();
        } catch (...) {
            const std::lock_guard lock(mutex_);
            if (!error_) error_ = std::current_exception();
            queue_.abort();
        }
    }

    void join() {
        for (auto& thread : threads_) thread.join();
        threads_.clear();
    }

    bgzfw::Writer& writer_;
    BoundedQueue<Piece> queue_;
    std::mutex mutex_;  // guards what follows
    std::vector<std::string> spare_;
    std::exception_ptr error_;
    std::vector<std::thread> threads_;
};

}  // namespace

void CloseStream::operator()(hFILE* file) const noexcept { hclose_abruptly(file); }

SamText::SamText(Stream file, std::string path) : file_(std::move(file)), path_(std::move(path)) {
    read_header();
}

// False at the end of the file.
bool SamText::read_more(std::string& text) {
    const size_t n_before = text.size();
    text.resize(n_before + kReadBytes);
    const ssize_t n = hread(file_.get(), text.data() + n_before, kReadBytes);
    if (n < 0)
        throw std::runtime_error("reading " +
                                 (path_ == "-" ? "standard input" : "\"" + path_ + "\"") +
                                 " failed: " + std::strerror(herrno(file_.get())));
    text.resize(n_before + static_cast<size_t>(n));
    return n > 0;
}

void SamText::read_header() {
    size_t line = 0;  // where it begins
    for (;;) {
        if (line == rest_.size() && !read_more(rest_)) break;
        if (rest_[line] != '@') break;
        size_t end;
        while ((end = rest_.find('\n', line)) == std::string::npos && read_more(rest_)) {
        }
        line = std::min(end, rest_.size() - 1) + 1;
    }
    header_ = rest_.substr(0, line);
    rest_.erase(0, line);
}

bool SamText::next(std::string& piece) {
    piece.swap(rest_);
    rest_.clear();
    while (piece.size() <= kPieceBytes && read_more(piece)) {
    }
    size_t seen = kPieceBytes, end = std::string::npos;
    while (seen < piece.size() && (end = piece.find('\n', seen)) == std::string::npos) {
        seen = piece.size();
        read_more(piece);
    }
    if (end != std::string::npos) {
        rest_.assign(piece, end + 1, std::string::npos);
        piece.resize(end + 1);
    }
    return !piece.empty();
}

void write_sam_text(SamText& text, bgzfw::Writer& writer, int n_threads,
                    const std::function<void(const std::string&)>& on_piece) {
    Piece piece;
    if (n_threads == 0) {
        bgzfw::Producer producer = writer.producer();
        for (; text.next(piece.text); ++piece.number) {
            on_piece(piece.text);
            producer.write_sam(piece.text);
            producer.submit(piece.number);
        }
        producer.finish();
        return;
    }
    PieceWriters writers(writer, n_threads);
    try {
        for (uint64_t number = 0;; ++number) {
            piece.text = writers.take_spare();
            if (!text.next(piece.text)) break;
            on_piece(piece.text);
            piece.number = number;
            if (!writers.push(std::move(piece))) break;
        }
    } catch (const std::exception& e) {
        writer.cancel(e.what());  // ends the threads at once
        throw;
    }
    writers.finish();
}

}  // namespace qbix::cli
