// page_arena.hpp: pages out of one reserved piece of memory.
#pragma once

#include <sys/mman.h>

#include <cstddef>
#include <cstdint>
#include <new>
#include <utility>

namespace qbix {

inline constexpr size_t kPageBytes = 4096;

class PageArena {
   public:
    static constexpr uint32_t kNoPage = UINT32_MAX;

    explicit PageArena(uint32_t n_pages) : n_pages_(n_pages) { reserve(); }
    ~PageArena() { free_all(); }
    PageArena(const PageArena&) = delete;
    PageArena& operator=(const PageArena&) = delete;

    // kNoPage when none is left.
    uint32_t take() noexcept { return n_taken_ < n_pages_ ? n_taken_++ : kNoPage; }
    // All pages are free again; their memory stays.
    void reset() noexcept { n_taken_ = 0; }
    // Gives the memory back to the system. REQUIRES: nothing is taken afterwards.
    void free_all() noexcept {
        if (bytes_) munmap(std::exchange(bytes_, nullptr), size_bytes());
        n_taken_ = n_pages_ = 0;
    }

    uint8_t* at(uint32_t page) const noexcept { return bytes_ + size_t{page} * kPageBytes; }

   private:
    size_t size_bytes() const { return size_t{n_pages_} * kPageBytes; }

    void reserve() {
        void* p = mmap(nullptr, size_bytes(), PROT_READ | PROT_WRITE,
                       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
        if (p == MAP_FAILED) throw std::bad_alloc();
        bytes_ = static_cast<uint8_t*>(p);
    }

    uint8_t* bytes_ = nullptr;
    uint32_t n_pages_;
    uint32_t n_taken_ = 0;
};

}  // namespace qbix
