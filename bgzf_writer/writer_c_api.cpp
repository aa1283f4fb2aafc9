// writer_c_api.cpp: the C interface over the C++ one.
#include <algorithm>
#include <cstring>
#include <memory>
#include <new>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "bgzfw/bgzf_writer.h"
#include "bgzfw/writer.hpp"

namespace {

static_assert(BGZFW_HTSLIB == static_cast<int>(bgzfw::Backend::kHtslib));
static_assert(BGZFW_LIBDEFLATE == static_cast<int>(bgzfw::Backend::kLibdeflate));
static_assert(BGZFW_ISAL == static_cast<int>(bgzfw::Backend::kIsal));

class CHook final : public bgzfw::CommitHook {
   public:
    CHook(bgzfw_commit_hook function, void* data) : function_(function), data_(data) {}

    void on_records(std::span<const bgzfw::CommittedRecord> records) override {
        records_.clear();
        for (const auto& r : records) {
            records_.push_back({r.begin_voffset, r.end_voffset, r.bytes.data(), r.bytes.size()});
        }
        if (const int status = function_(data_, records_.data(), records_.size()); status != 0) {
            throw bgzfw::Error(bgzfw::ErrorCode::kHook,
                               "the commit hook returned " + std::to_string(status));
        }
    }

   private:
    bgzfw_commit_hook function_;
    void* data_;
    std::vector<bgzfw_record> records_;
};

// Fields that the caller's version of the struct does not have keep their defaults.
bgzfw_options complete(const bgzfw_options* given) {
    bgzfw_options options = BGZFW_OPTIONS_INIT;
    if (given == nullptr) return options;
    std::memcpy(&options, given, std::min(given->struct_size, sizeof options));
    return options;
}

bgzfw::Options translate(const bgzfw_options& c, bgzfw::CommitHook* hook) {
    const auto check = [](const char* field, int value, int most) {
        if (value >= 0 && value <= most) return;
        throw bgzfw::Error(bgzfw::ErrorCode::kUsage,
                           std::string("option ") + field + " is " + std::to_string(value));
    };
    check("backend", c.backend, BGZFW_ISAL);
    check("order", c.order, BGZFW_BY_BATCH);
    return {.backend = static_cast<bgzfw::Backend>(c.backend),
            .level = c.level,
            .workers = c.workers,
            .order = c.order == BGZFW_BY_BATCH ? bgzfw::Order::kByBatch : bgzfw::Order::kAsWritten,
            .window = c.window,
            .hook = hook,
            .htslib_pool = static_cast<hts_tpool*>(c.htslib_pool)};
}

std::span<const uint8_t> bytes_of(const void* data, size_t size_bytes) {
    return {static_cast<const uint8_t*>(data), size_bytes};
}

// Runs `action` on a handle; an exception becomes its last error.
template <class Handle, class Action>
int guarded(Handle* handle, Action action) noexcept {
    try {
        action();
        return 0;
    } catch (const std::exception& e) {
        try {
            handle->last_error = e.what();
        } catch (...) {
            handle->last_error.clear();  // no memory for the message
        }
        return -1;
    }
}

}  // namespace

struct bgzfw_writer {
    std::string last_error;
    std::unique_ptr<CHook> hook;
    std::optional<bgzfw::Writer> writer;

    bgzfw::Writer& get() {
        if (!writer) throw bgzfw::Error(bgzfw::ErrorCode::kUsage, "the writer was not opened");
        return *writer;
    }
};

struct bgzfw_producer {
    std::string last_error;
    std::optional<bgzfw::Producer> producer;

    bgzfw::Producer& get() {
        if (!producer) throw bgzfw::Error(bgzfw::ErrorCode::kUsage, "the producer was not opened");
        return *producer;
    }
};

namespace {

// open(writer, options) makes the C++ writer in its place.
template <class Open>
int open_writer(bgzfw_writer** out, const bgzfw_options* c_options, Open open) noexcept {
    *out = new (std::nothrow) bgzfw_writer;
    if (*out == nullptr) return -1;
    return guarded(*out, [&] {
        const bgzfw_options options = complete(c_options);
        if (options.hook != nullptr) {
            (*out)->hook = std::make_unique<CHook>(options.hook, options.hook_data);
        }
        open((*out)->writer, translate(options, (*out)->hook.get()));
    });
}

}  // namespace

int bgzfw_open(bgzfw_writer** writer, const char* path, const char* sam_header, size_t l_sam_header,
               const bgzfw_options* options) {
    return open_writer(writer, options, [&](auto& place, const bgzfw::Options& translated) {
        place.emplace(path, bgzfw::BamHeader::from_sam_text({sam_header, l_sam_header}),
                      translated);
    });
}

int bgzfw_open_fd(bgzfw_writer** writer, int fd, const char* sam_header, size_t l_sam_header,
                  const bgzfw_options* options) {
    return open_writer(writer, options, [&](auto& place, const bgzfw::Options& translated) {
        place.emplace(fd, "file descriptor " + std::to_string(fd),
                      bgzfw::BamHeader::from_sam_text({sam_header, l_sam_header}), translated);
    });
}

int bgzfw_open_bam_header(bgzfw_writer** writer, const char* path, const void* bam_header,
                          size_t size_bytes, const bgzfw_options* options) {
    return open_writer(writer, options, [&](auto& place, const bgzfw::Options& translated) {
        place.emplace(path, bgzfw::BamHeader::from_bytes(bytes_of(bam_header, size_bytes)),
                      translated);
    });
}

int bgzfw_write_encoded(bgzfw_writer* writer, const void* records, size_t size_bytes) {
    return guarded(writer, [&] { writer->get().write_encoded(bytes_of(records, size_bytes)); });
}

int bgzfw_write_sam(bgzfw_writer* writer, const char* lines, size_t l_lines) {
    return guarded(writer, [&] { writer->get().write_sam({lines, l_lines}); });
}

uint8_t* bgzfw_begin_record(bgzfw_writer* writer, size_t size_bytes) {
    uint8_t* room = nullptr;
    guarded(writer, [&] { room = writer->get().begin_record(size_bytes); });
    return room;
}

int bgzfw_end_record(bgzfw_writer* writer) {
    return guarded(writer, [&] { writer->get().end_record(); });
}

void bgzfw_cancel(bgzfw_writer* writer, const char* reason) {
    guarded(writer, [&] { writer->get().cancel(reason); });
}

uint64_t bgzfw_bytes_written(const bgzfw_writer* writer) {
    return writer->writer ? writer->writer->bytes_written() : 0;
}

int bgzfw_backend(const bgzfw_writer* writer) {
    return writer->writer ? static_cast<int>(writer->writer->backend()) : BGZFW_AUTO;
}

int bgzfw_close(bgzfw_writer* writer) {
    return guarded(writer, [&] { writer->get().close(); });
}

void bgzfw_destroy(bgzfw_writer* writer) { delete writer; }

const char* bgzfw_last_error(const bgzfw_writer* writer) {
    return writer != nullptr ? writer->last_error.c_str() : "out of memory";
}

int bgzfw_producer_open(bgzfw_producer** producer, bgzfw_writer* writer) {
    *producer = new (std::nothrow) bgzfw_producer;
    if (*producer == nullptr) return -1;
    return guarded(*producer, [&] { (*producer)->producer.emplace(writer->get().producer()); });
}

int bgzfw_producer_write_encoded(bgzfw_producer* producer, const void* records, size_t size_bytes) {
    return guarded(producer, [&] { producer->get().write_encoded(bytes_of(records, size_bytes)); });
}

int bgzfw_producer_write_sam(bgzfw_producer* producer, const char* lines, size_t l_lines) {
    return guarded(producer, [&] { producer->get().write_sam({lines, l_lines}); });
}

uint8_t* bgzfw_producer_begin_record(bgzfw_producer* producer, size_t size_bytes) {
    uint8_t* room = nullptr;
    guarded(producer, [&] { room = producer->get().begin_record(size_bytes); });
    return room;
}

int bgzfw_producer_end_record(bgzfw_producer* producer) {
    return guarded(producer, [&] { producer->get().end_record(); });
}

int bgzfw_producer_submit(bgzfw_producer* producer, uint64_t number) {
    return guarded(producer, [&] { producer->get().submit(number); });
}

int bgzfw_producer_submit_encoded(bgzfw_producer* producer, const void* records, size_t size_bytes,
                                  uint64_t number) {
    return guarded(producer,
                   [&] { producer->get().submit(bytes_of(records, size_bytes), number); });
}

int bgzfw_producer_finish(bgzfw_producer* producer) {
    return guarded(producer, [&] { producer->get().finish(); });
}

void bgzfw_producer_destroy(bgzfw_producer* producer) { delete producer; }

const char* bgzfw_producer_last_error(const bgzfw_producer* producer) {
    return producer != nullptr ? producer->last_error.c_str() : "out of memory";
}
