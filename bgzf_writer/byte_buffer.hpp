// byte_buffer.hpp: growing bytes without the zero filling of std::vector, which would touch
// every page of a buffer that a compressor then fills only in part.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <memory>
#include <span>

namespace bgzfw {

class ByteBuffer {
   public:
    const uint8_t* data() const noexcept { return data_.get(); }
    size_t size() const noexcept { return size_; }
    size_t capacity() const noexcept { return capacity_; }
    std::span<const uint8_t> bytes() const noexcept { return {data_.get(), size_}; }
    void clear() noexcept { size_ = 0; }

    // Room for `n` bytes behind the end, uninitialised; take() makes them part of the buffer.
    uint8_t* make_room(size_t n) {
        if (capacity_ - size_ < n) grow(n);
        return data_.get() + size_;
    }
    // REQUIRES: n is not more than make_room() was last asked for.
    void take(size_t n) noexcept { size_ += n; }

    void append(std::span<const uint8_t> bytes) {
        if (bytes.empty()) return;
        std::memcpy(make_room(bytes.size()), bytes.data(), bytes.size());
        take(bytes.size());
    }

   private:
    void grow(size_t n) {
        size_t capacity = std::max(size_ + n, capacity_ * 2);
        std::unique_ptr<uint8_t[]> data(new uint8_t[capacity]);
        if (size_ > 0) std::memcpy(data.get(), data_.get(), size_);
        data_ = std::move(data);
        capacity_ = capacity;
    }

    std::unique_ptr<uint8_t[]> data_;
    size_t size_ = 0;
    size_t capacity_ = 0;
};

}  // namespace bgzfw
