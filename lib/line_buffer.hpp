// line_buffer.hpp: memory in whole cache lines, in huge pages where it is large enough.
//
// Random reads over more than a few megabytes cost two to four times as much in 4 KiB pages
// as in 2 MiB ones, because each also misses the TLB; and an array that is not aligned to
// lines makes every node straddle two of them.
#pragma once

#include <sys/mman.h>

#include <cstddef>
#include <memory>
#include <new>
#include <utility>

namespace qbix {

inline constexpr size_t kLineBytes = 64;

// Owns its bytes; contents are undefined until written. Move only.
class LineBuffer {
   public:
    LineBuffer() = default;

    // `size_bytes` rounded up to lines, or, from 1 MiB on, to 2 MiB pages. `huge_pages` asks
    // the kernel for huge pages or forbids them; it is a wish, and ignored where there are
    // none. Throws std::bad_alloc.
    LineBuffer(size_t size_bytes, bool huge_pages) {
        const bool large = size_bytes >= kHugePageBytes / 2;
        alignment_ = large ? kHugePageBytes : kLineBytes;
        if (size_bytes > SIZE_MAX - alignment_) throw std::bad_alloc();
        size_bytes_ = (size_bytes + alignment_ - 1) / alignment_ * alignment_;
        bytes_ = static_cast<std::byte*>(::operator new(size_bytes_, std::align_val_t(alignment_)));
#if defined(MADV_HUGEPAGE)
        if (large) (void)madvise(bytes_, size_bytes_, huge_pages ? MADV_HUGEPAGE : MADV_NOHUGEPAGE);
#else
        (void)huge_pages;
#endif
    }

    ~LineBuffer() {
        if (bytes_) ::operator delete(bytes_, std::align_val_t(alignment_));
    }
    LineBuffer(LineBuffer&& other) noexcept { swap(other); }
    LineBuffer& operator=(LineBuffer&& other) noexcept {
        LineBuffer(std::move(other)).swap(*this);
        return *this;
    }

    std::byte* data() const noexcept { return bytes_; }
    size_t size_bytes() const noexcept { return size_bytes_; }

   private:
    static constexpr size_t kHugePageBytes = size_t{2} << 20;

    void swap(LineBuffer& other) noexcept {
        std::swap(bytes_, other.bytes_);
        std::swap(size_bytes_, other.size_bytes_);
        std::swap(alignment_, other.alignment_);
    }

    std::byte* bytes_ = nullptr;
    size_t size_bytes_ = 0;
    size_t alignment_ = kLineBytes;
};

}  // namespace qbix
