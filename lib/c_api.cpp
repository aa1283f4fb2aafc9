// The C side: every function runs its body in guarded(), which turns exceptions into a status
// and a message at the handle.
#include <algorithm>
#include <atomic>
#include <cstring>
#include <memory>
#include <new>
#include <string>
#include <vector>

#include "qbix/bam_file.hpp"
#include "qbix/error.hpp"
#include "qbix/index_builder.hpp"
#include "qbix/index_check.hpp"
#include "qbix/index_path.hpp"
#include "qbix/name_hash.hpp"
#include "qbix/name_index.hpp"
#include "qbix/name_lookup.hpp"
#include "qbix/qbix.h"
#include "version.h"

namespace {

using qbix::Error;
using qbix::ErrorCode;

constexpr uint64_t kCheckMemoryBytes = uint64_t{512} << 20;

// What several handles may share.
struct OpenFiles {
    OpenFiles(const std::string& bam_path, const std::string& index_path)
        : bam(bam_path), index(qbix::open_name_index(index_path)) {
        qbix::check_belongs(*index, bam);
    }

    const qbix::BamFile bam;
    const std::unique_ptr<const qbix::NameIndex> index;
};

// enum qbix_status lists the error codes in their order.
constexpr int status_of(ErrorCode code) { return -1 - static_cast<int>(code); }
static_assert(status_of(ErrorCode::kUsage) == QBIX_EUSAGE);
static_assert(status_of(ErrorCode::kNoEof) == QBIX_ENOEOF);
static_assert(status_of(ErrorCode::kCancelled) == QBIX_ECANCELLED);

}  // namespace

struct qbix_handle {
    std::shared_ptr<const OpenFiles> files;
    std::unique_ptr<qbix::NameFetcher> fetcher;  // made by the first qbix_next()
    std::string name;                            // of qbix_fetch()
    std::vector<qbix::RecordPlace> candidates;
    size_t next_candidate = 0;
    std::vector<uint64_t> voffsets;  // of qbix_lookup()
    int last_status = QBIX_OK;
    std::string last_error;
};

namespace {

int fail(qbix_handle* handle, int status, const char* message) noexcept {
    handle->last_status = status;
    try {
        handle->last_error = message;
    } catch (const std::bad_alloc&) {
        handle->last_error.clear();
    }
    return status;
}

template <class Body>
auto guarded(qbix_handle* handle, Body body) noexcept -> decltype(body()) {
    if (!handle) return QBIX_EUSAGE;
    try {
        return body();
    } catch (const Error& e) {
        return fail(handle, status_of(e.code()), e.what());
    } catch (const std::bad_alloc&) {
        return fail(handle, QBIX_ENOMEM, "out of memory");
    } catch (const std::exception& e) {
        return fail(handle, QBIX_EINTERNAL, e.what());
    } catch (...) {
        return fail(handle, QBIX_EINTERNAL, "unknown error");
    }
}

// `size_bytes` tells how much of the struct the caller knows; the rest keeps its default.
qbix_build_options known_options(const qbix_build_options* options) {
    qbix_build_options known;
    qbix_build_options_init(&known, sizeof known);
    if (!options) return known;
    if (options->size_bytes < sizeof options->size_bytes || options->size_bytes > sizeof known)
        throw Error(ErrorCode::kUsage,
                    "the build options are not those of this library; set them with "
                    "qbix_build_options_init()");
    std::memcpy(&known, options, options->size_bytes);
    return known;
}

qbix::BuildOptions build_options(const qbix_build_options& options, std::atomic<bool>& cancel) {
    if (options.format < 1 || options.format > 3)
        throw Error(ErrorCode::kUsage, "the format of an index is 1, 2 or 3");
    qbix::BuildOptions build;
    if (options.index_path) build.index_path = options.index_path;
    build.format = options.format == 1   ? qbix::IndexFormat::kQbi1
                   : options.format == 2 ? qbix::IndexFormat::kQbi2
                                         : qbix::IndexFormat::kQbx;
    if (options.remainder_bits < 0) throw Error(ErrorCode::kUsage, "remainders have 16 bits");
    build.remainder_bits = static_cast<unsigned>(options.remainder_bits);
    build.radix_bits = options.radix_bits;
    build.n_threads = options.n_threads;
    build.memory_bytes = options.memory_bytes;
    if (options.tmp_prefix) build.tmp_prefix = options.tmp_prefix;
    build.allow_no_eof = options.allow_no_eof != 0;
    build.cancel = &cancel;
    if (options.on_progress)
        build.on_progress = [options, &cancel](const qbix::BuildProgress& progress) {
            if (options.on_progress(options.user, progress.n_records, progress.bytes_read,
                                    progress.bytes_total) != 0)
                cancel = true;
        };
    return build;
}

const OpenFiles& open_files(const qbix_handle* handle) {
    if (!handle->files) throw Error(ErrorCode::kUsage, "no BAM file is open");
    return *handle->files;
}

std::string argument(const char* text, const char* what) {
    if (!text) throw Error(ErrorCode::kUsage, std::string(what) + " is NULL");
    return text;
}

void find_places(const OpenFiles& files, const std::string& name,
                 std::vector<qbix::RecordPlace>& places) {
    places.clear();
    files.index->find_places(qbix::hash_name(name), places);
    std::sort(places.begin(), places.end());
}

// The reader of the handle, made when it is first needed.
qbix::NameFetcher& fetcher_of(qbix_handle* handle) {
    const OpenFiles& files = *handle->files;
    if (!handle->fetcher)
        handle->fetcher = std::make_unique<qbix::NameFetcher>(*files.index, files.bam);
    return *handle->fetcher;
}

}  // namespace

const char* qbix_version(void) { return QBIX_VERSION; }

qbix_handle* qbix_create(void) { return new (std::nothrow) qbix_handle; }

void qbix_close(qbix_handle* handle) { delete handle; }

const char* qbix_last_error(const qbix_handle* handle) {
    return handle ? handle->last_error.c_str() : "the handle is NULL";
}

int qbix_last_status(const qbix_handle* handle) {
    return handle ? handle->last_status : QBIX_EUSAGE;
}

void qbix_build_options_init(qbix_build_options* options, size_t size_bytes) {
    qbix_build_options defaults{};
    defaults.size_bytes = size_bytes;
    defaults.format = 3;
    defaults.remainder_bits = static_cast<int>(qbix::BuildOptions{}.remainder_bits);
    defaults.n_threads = 1;
    defaults.memory_bytes = qbix::BuildOptions{}.memory_bytes;
    std::memcpy(options, &defaults, std::min(size_bytes, sizeof defaults));
}

int qbix_build(qbix_handle* handle, const char* bam_path, const qbix_build_options* options) {
    return guarded(handle, [&]() -> int {
        std::atomic<bool> cancel{false};
        qbix::BuildOptions build = build_options(known_options(options), cancel);
        qbix::build_index(argument(bam_path, "the path of the BAM file"), build);
        return QBIX_OK;
    });
}

int qbix_open(qbix_handle* handle, const char* bam_path, const char* index_path) {
    return guarded(handle, [&]() -> int {
        handle->fetcher.reset();
        handle->candidates.clear();
        handle->next_candidate = 0;
        handle->files.reset();
        std::string bam = argument(bam_path, "the path of the BAM file");
        std::string index = index_path ? index_path : qbix::find_index_path(bam);
        if (index.empty())
            throw Error(ErrorCode::kOpen, "there is no index beside \"" + bam + "\"");
        handle->files = std::make_shared<const OpenFiles>(bam, index);
        return QBIX_OK;
    });
}

qbix_handle* qbix_clone(const qbix_handle* handle) {
    qbix_handle* clone = qbix_create();
    if (clone && handle) clone->files = handle->files;
    return clone;
}

int qbix_check(qbix_handle* handle, int n_threads) {
    return guarded(handle, [&]() -> int {
        if (n_threads < 1) throw Error(ErrorCode::kUsage, "the number of threads is at least 1");
        const OpenFiles& files = open_files(handle);
        qbix::check_full(*files.index, files.bam, n_threads, kCheckMemoryBytes, nullptr);
        return QBIX_OK;
    });
}

const sam_hdr_t* qbix_header(const qbix_handle* handle) {
    return handle && handle->files ? handle->files->bam.header() : nullptr;
}

int64_t qbix_lookup(qbix_handle* handle, const char* name, const uint64_t** voffsets) {
    return guarded(handle, [&]() -> int64_t {
        const OpenFiles& files = open_files(handle);
        std::vector<qbix::RecordPlace> places;
        const std::string wanted = argument(name, "the read name");
        find_places(files, wanted, places);
        handle->voffsets.clear();
        for (const qbix::RecordPlace& place : places) {
            // A .qbx knows the block: there the record is looked for.
            if (files.index->format() != qbix::IndexFormat::kQbx)
                handle->voffsets.push_back(place.voffset.value);
            else if (const auto record = fetcher_of(handle).fetch(place, wanted))
                handle->voffsets.push_back(record->voffset.value);
        }
        if (voffsets) *voffsets = handle->voffsets.data();
        return static_cast<int64_t>(handle->voffsets.size());
    });
}

int64_t qbix_fetch(qbix_handle* handle, const char* name) {
    return guarded(handle, [&]() -> int64_t {
        handle->name = argument(name, "the read name");
        handle->next_candidate = 0;
        find_places(open_files(handle), handle->name, handle->candidates);
        return static_cast<int64_t>(handle->candidates.size());
    });
}

int qbix_next(qbix_handle* handle, bam1_t* record) {
    return guarded(handle, [&]() -> int {
        const OpenFiles& files = open_files(handle);
        if (!record) throw Error(ErrorCode::kUsage, "the record is NULL");
        while (handle->next_candidate < handle->candidates.size()) {
            const qbix::RecordPlace place = handle->candidates[handle->next_candidate++];
            auto view = fetcher_of(handle).fetch(place, handle->name);
            if (!view) continue;
            qbix::decode_record(*view, files.bam.header(), record);
            return 1;
        }
        return 0;
    });
}
