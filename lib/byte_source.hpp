// byte_source.hpp: the two ways in which a lookup reads an index. Lookups are templates over
// them, so that the mapped one is a load and nothing else.
#pragma once

#include <cstdint>
#include <span>

#include "index_bytes.hpp"
#include "le_bytes.hpp"

namespace qbix {

// REQUIRES (all): places inside the file.
struct MappedSource {
    static constexpr bool kMapped = true;  // loads cannot throw and can be prefetched

    const uint8_t* base;

    explicit MappedSource(const IndexBytes& bytes) : base(bytes.mapped()->data()) {}

    uint64_t u64(uint64_t place) const noexcept { return load_le<uint64_t>(base + place); }

    // n_bytes readable bytes, in the file itself or in `scratch`.
    const uint8_t* view(uint64_t place, size_t, uint8_t*) const noexcept { return base + place; }
    // Points behind n_bytes bytes that end at `end`; n_readable before it can be read.
    // REQUIRES: n_bytes <= n_readable <= end, and n_readable bytes at `scratch`.
    const uint8_t* view_before(uint64_t end, size_t, size_t, uint8_t*) const noexcept {
        return base + end;
    }
    void prefetch(uint64_t place) const noexcept { __builtin_prefetch(base + place); }
};

struct PagedSource {
    static constexpr bool kMapped = false;

    PagedFile* file;

    explicit PagedSource(const IndexBytes& bytes) : file(bytes.paged()) {}

    uint64_t u64(uint64_t place) const {
        uint8_t bytes[8];
        file->read(place, bytes);
        return load_le<uint64_t>(bytes);
    }
    const uint8_t* view(uint64_t place, size_t n_bytes, uint8_t* scratch) const {
        file->read(place, {scratch, n_bytes});
        return scratch;
    }
    const uint8_t* view_before(uint64_t end, size_t n_bytes, size_t n_readable,
                               uint8_t* scratch) const {
        std::memset(scratch, 0, n_readable - n_bytes);
        file->read(end - n_bytes, {scratch + (n_readable - n_bytes), n_bytes});
        return scratch + n_readable;
    }
    void prefetch(uint64_t) const noexcept {}
};

}  // namespace qbix
