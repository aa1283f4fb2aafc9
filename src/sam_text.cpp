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

namespace qbix::cli {
namespace {

constexpr size_t kReadBytes = 64 << 10;

// What the threads share. Each takes a piece in its turn, so that the text stays in its cache.
class PieceWriters {
   public:
    PieceWriters(SamText& text, bgzfw::Writer& writer, const std::function<void()>& on_piece)
        : text_(text), writer_(writer), on_piece_(on_piece) {}

    // In each thread.
    void run() noexcept {
        try {
            bgzfw::Producer producer = writer_.producer();
            try {
                std::string piece;
                uint64_t number;
                while (next(piece, number)) {
                    producer.write_sam(piece);
                    producer.submit(number);
                }
                producer.finish();
            } catch (...) {
                note_error();  // before the end of the producer makes others fail
            }
        } catch (...) {
            note_error();
        }
    }

    // When all have ended. Throws what a thread threw first.
    void rethrow_error() const {
        if (error_) std::rethrow_exception(error_);
    }

   private:
    bool next(std::string& piece, uint64_t& number) {
        const std::lock_guard lock(mutex_);
        if (error_ || !text_.next(piece)) return false;
        number = n_pieces_++;
        on_piece_();
        return true;
    }

    void note_error() {
        const std::lock_guard lock(mutex_);
        if (!error_) error_ = std::current_exception();
    }

    SamText& text_;
    bgzfw::Writer& writer_;
    const std::function<void()>& on_piece_;
    std::mutex mutex_;  // guards what follows, and text_
    uint64_t n_pieces_ = 0;
    std::exception_ptr error_;
};

class Joiner {
   public:
    explicit Joiner(std::vector<std::thread>& threads) : threads_(threads) {}
    ~Joiner() {
        for (auto& thread : threads_) thread.join();
    }

   private:
    std::vector<std::thread>& threads_;
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
                    const std::function<void()>& on_piece) {
    PieceWriters writers(text, writer, on_piece);
    {
        std::vector<std::thread> threads;
        const Joiner joiner(threads);
        for (int i = 1; i < n_threads; ++i) threads.emplace_back([&] { writers.run(); });
        writers.run();
    }
    writers.rethrow_error();
}

}  // namespace qbix::cli
