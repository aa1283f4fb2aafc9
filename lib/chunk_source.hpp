// chunk_source.hpp: the compressed bytes of a BAM in consecutive chunks, for many threads.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <span>
#include <string>

#include "byte_reader.hpp"

namespace qbix {

inline constexpr size_t kChunkBytes = 65536;

// Chunk n holds the bytes [first_coffset + n * kChunkBytes, + kChunkBytes) of the file.
class ChunkSource {
   public:
    ChunkSource(std::string path, uint64_t first_coffset);

    struct Claim {
        uint64_t number = 0;
        size_t n_bytes = 0;  // less than kChunkBytes: the file ends here
    };

    // One thread's way in. A local file is read by every thread through its own handle; a
    // remote one in order through a single handle, since a seek there is a new request.
    class Reader {
       public:
        explicit Reader(ChunkSource& source);
        // Takes the next chunk that nobody has. REQUIRES: out.size() == kChunkBytes.
        // `claim.number` is set even when reading throws Error kIo.
        void next(std::span<uint8_t> out, Claim& claim);

       private:
        ChunkSource& source_;
        std::unique_ptr<ByteReader> own_;
    };

   private:
    uint64_t coffset_of(uint64_t number) const { return first_coffset_ + number * kChunkBytes; }

    std::string path_;
    uint64_t first_coffset_;
    std::atomic<uint64_t> next_{0};
    std::mutex shared_mutex_;             // remote files
    std::unique_ptr<ByteReader> shared_;  // remote files
};

}  // namespace qbix
