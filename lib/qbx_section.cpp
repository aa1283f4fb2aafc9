#include "qbx_section.hpp"

#include <sys/mman.h>

#include <algorithm>
#include <cstring>
#include <new>

#include "checksum.hpp"
#include "index_errors.hpp"
#include "le_bytes.hpp"

namespace qbix {
namespace {

constexpr size_t kHugePageBytes = 2 << 20;

}  // namespace

// Pages appear when they are written to, so a section of any size may be reserved at once.
class QbxSection::Memory {
   public:
    explicit Memory(uint64_t size_bytes)
        : n_mapped_(static_cast<size_t>(size_bytes) + kHugePageBytes) {
        mapped_ = mmap(nullptr, n_mapped_, PROT_READ | PROT_WRITE,
                       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
        if (mapped_ == MAP_FAILED) throw std::bad_alloc();
    }
    ~Memory() { munmap(mapped_, n_mapped_); }
    Memory(const Memory&) = delete;
    Memory& operator=(const Memory&) = delete;

    // Begins where a huge page does.
    uint8_t* data() const noexcept {
        const auto address = reinterpret_cast<uintptr_t>(mapped_);
        return static_cast<uint8_t*>(mapped_) +
               (kHugePageBytes - address % kHugePageBytes) % kHugePageBytes;
    }
    void use_huge_pages() const noexcept {
#ifdef MADV_HUGEPAGE
        madvise(data(), n_mapped_ - kHugePageBytes, MADV_HUGEPAGE);  // failure costs time only
#endif
    }

   private:
    size_t n_mapped_;
    void* mapped_;
};

QbxSection::QbxSection(const IndexBytes& bytes, const std::string& path, const QbxExtent& extent,
                       std::string name)
    : size_bytes_(extent.size_bytes),
      verified_(new std::atomic<uint64_t>[n_chunks() / 64 + 1]()),
      path_(path),
      name_(std::move(name)),
      bytes_(&bytes),
      extent_(extent) {
    if (n_chunks() > 1) {
        const uint64_t n_sum_bytes = 8 * n_chunks();
        sums_ = std::make_unique<const QbxSection>(
            bytes, path,
            QbxExtent{extent.sums_place, n_sum_bytes, extent.sums_place + n_sum_bytes,
                      extent.root_sum},
            "checksums of " + name_);
    }
    if (bytes.mapped()) {
        data_ = bytes.mapped()->data() + extent.place;
    } else {
        memory_ = std::make_unique<Memory>(size_bytes_);
        data_ = memory_->data();
    }
}

QbxSection::QbxSection(std::span<const uint8_t> bytes, std::string name)
    : data_(bytes.data()),
      size_bytes_(bytes.size()),
      verified_(new std::atomic<uint64_t>[n_chunks() / 64 + 1]()),
      path_("memory"),
      name_(std::move(name)) {
    for (uint64_t i = 0; i < n_chunks() / 64 + 1; ++i) verified_[i] = ~uint64_t{0};
}

QbxSection::~QbxSection() = default;

std::unique_ptr<QbxSection> QbxSection::of_memory(std::span<const uint8_t> bytes,
                                                  std::string name) {
    return std::unique_ptr<QbxSection>(new QbxSection(bytes, std::move(name)));
}

void QbxSection::throw_outside(uint64_t place, uint64_t n_bytes) const {
    throw_bad_index(path_, name_ + " has no " + std::to_string(n_bytes) + " bytes at " +
                               std::to_string(place) + " of its " + std::to_string(size_bytes_));
}

void QbxSection::check_sum(uint64_t chunk, std::span<const uint8_t> bytes) const {
    const uint64_t wanted = sums_ ? load_le<uint64_t>(sums_->view(chunk * 8, 8)) : extent_.root_sum;
    if (checksum_of(bytes) != wanted)
        throw_bad_index(path_, "the checksum of " + name_ + " is wrong for the bytes from " +
                                   std::to_string(extent_.place + chunk * kChunkBytes) + " on");
}

void QbxSection::fetch(uint64_t chunk) const {
    const std::lock_guard lock(fetch_mutex_);
    if (is_verified(chunk)) return;  // by the thread that had the lock
    const uint64_t begin = chunk * kChunkBytes;
    const std::span bytes(memory_->data() + begin, std::min(kChunkBytes, size_bytes_ - begin));
    bytes_->paged()->read(extent_.place + begin, bytes);  // neighbours share requests
    check_sum(chunk, bytes);
    verified_[chunk / 64].fetch_or(uint64_t{1} << (chunk % 64), std::memory_order_release);
}

void QbxSection::verify(uint64_t chunk) const {
    if (!bytes_->mapped()) return fetch(chunk);
    const uint64_t begin = chunk * kChunkBytes;
    check_sum(chunk, {data_ + begin, std::min(kChunkBytes, size_bytes_ - begin)});
    verified_[chunk / 64].fetch_or(uint64_t{1} << (chunk % 64), std::memory_order_release);
}

void QbxSection::preload() {
    if (!bytes_) return;
    if (!bytes_->mapped()) {
        memory_->use_huge_pages();
        return touch_all();
    }
    bytes_->mapped()->will_need(extent_.place, size_bytes_);
    auto memory = std::make_unique<Memory>(size_bytes_);
    memory->use_huge_pages();
    for (uint64_t place = 0; place < size_bytes_; place += kChunkBytes) {
        const std::span bytes(memory->data() + place, std::min(kChunkBytes, size_bytes_ - place));
        std::memcpy(bytes.data(), data_ + place, bytes.size());
        check_sum(place / kChunkBytes, bytes);
        verified_[place / kChunkBytes / 64].fetch_or(uint64_t{1} << (place / kChunkBytes % 64));
    }
    memory_ = std::move(memory);
    data_ = memory_->data();
}

}  // namespace qbix
