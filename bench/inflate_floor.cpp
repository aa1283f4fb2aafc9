// inflate_floor: the least that reading a BAM can cost: every BGZF block inflated with
// libdeflate and its CRC checked, from a mapped file, by T threads; no records, no output.
//
//   inflate_floor FILE.bam [THREADS]
//
// Other times are given as ratios to this one, taken in the same run.

#include <fcntl.h>
#include <libdeflate.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <thread>
#include <vector>

namespace {

uint32_t load_u32(const uint8_t* p) {
    uint32_t value;
    std::memcpy(&value, p, sizeof value);
    return value;
}

struct Block {
    const uint8_t* begin;
    size_t size;
};

std::vector<Block> find_blocks(const uint8_t* file, size_t size) {
    std::vector<Block> blocks;
    for (size_t at = 0; at + 18 <= size;) {
        const size_t block_size = (file[at + 16] | file[at + 17] << 8) + size_t{1};
        if (block_size < 26 || at + block_size > size) std::exit(1);
        blocks.push_back({file + at, block_size});
        at += block_size;
    }
    return blocks;
}

uint64_t inflate(const std::vector<Block>& blocks, std::atomic<size_t>& next) {
    constexpr size_t kAtOnce = 64;
    libdeflate_decompressor* decompressor = libdeflate_alloc_decompressor();
    std::vector<uint8_t> data(65536);
    uint64_t n_bytes = 0;
    for (size_t begin; (begin = next.fetch_add(kAtOnce)) < blocks.size();)
        for (size_t i = begin; i < begin + kAtOnce && i < blocks.size(); ++i) {
            const auto [p, size] = blocks[i];
            size_t n = 0;
            if (libdeflate_deflate_decompress(decompressor, p + 18, size - 26, data.data(),
                                              data.size(), &n) != LIBDEFLATE_SUCCESS ||
                libdeflate_crc32(0, data.data(), n) != load_u32(p + size - 8))
                std::exit(1);
            n_bytes += n;
        }
    libdeflate_free_decompressor(decompressor);
    return n_bytes;
}

}  // namespace

int main(int argc, char** argv) {
    if (argc < 2) return 1;
    const int n_threads = argc > 2 ? std::atoi(argv[2]) : 1;
    const int fd = open(argv[1], O_RDONLY);
    struct stat status;
    if (fd < 0 || fstat(fd, &status) != 0) return 1;
    const auto size = static_cast<size_t>(status.st_size);
    void* file = mmap(nullptr, size, PROT_READ, MAP_SHARED, fd, 0);
    if (file == MAP_FAILED) return 1;
    const auto begin = std::chrono::steady_clock::now();
    const auto blocks = find_blocks(static_cast<const uint8_t*>(file), size);
    std::atomic<size_t> next{0};
    std::atomic<uint64_t> n_bytes{0};
    std::vector<std::thread> threads;
    for (int i = 0; i < n_threads; ++i)
        threads.emplace_back([&] { n_bytes += inflate(blocks, next); });
    for (auto& thread : threads) thread.join();
    const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - begin;
    std::printf("blocks %zu, %llu bytes, %d threads, %.3f s\n", blocks.size(),
                static_cast<unsigned long long>(n_bytes.load()), n_threads, seconds.count());
}
