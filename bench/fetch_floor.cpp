// fetch_floor: the least that fetching records by name can cost: candidates from the index,
// each touched BGZF block inflated once with libdeflate from a mapped file, by T threads, and
// the names compared; nothing is put out.
//
//   fetch_floor FILE.bam INDEX.qbi NAMES.txt [THREADS]

#include <fcntl.h>
#include <libdeflate.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include <atomic>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <thread>
#include <vector>

#include "qbix/name_list.hpp"
#include "qbix/name_lookup.hpp"
#include "qbix/qbi_index.hpp"

namespace {

using namespace qbix;

template <class T>
T load(const uint8_t* p) {
    T value;
    std::memcpy(&value, p, sizeof value);
    return value;
}

struct File {
    const uint8_t* bytes;
    size_t size;
};

File map(const char* path) {
    const int fd = open(path, O_RDONLY);
    struct stat status;
    if (fd < 0 || fstat(fd, &status) != 0) std::exit(1);
    const auto size = static_cast<size_t>(status.st_size);
    void* bytes = mmap(nullptr, size, PROT_READ, MAP_SHARED, fd, 0);
    if (bytes == MAP_FAILED) std::exit(1);
    return {static_cast<const uint8_t*>(bytes), size};
}

// Inflates blocks one after the other into a growing buffer.
class Inflater {
   public:
    explicit Inflater(File file) : file_(file), decompressor_(libdeflate_alloc_decompressor()) {}
    ~Inflater() { libdeflate_free_decompressor(decompressor_); }

    void start(size_t coffset) {
        coffset_ = coffset;
        n_data_ = 0;
    }
    // At least n_bytes of data from the start.
    const uint8_t* data(size_t n_bytes) {
        while (n_data_ < n_bytes) add_block();
        return data_.data();
    }
    uint64_t n_blocks = 0;

   private:
    void add_block() {
        if (coffset_ + 18 > file_.size) std::exit(1);
        const uint8_t* p = file_.bytes + coffset_;
        const size_t size = (p[16] | p[17] << 8) + size_t{1};
        if (data_.size() < n_data_ + 65536) data_.resize(2 * n_data_ + 65536);
        size_t n = 0;
        if (libdeflate_deflate_decompress(decompressor_, p + 18, size - 26, data_.data() + n_data_,
                                          65536, &n) != LIBDEFLATE_SUCCESS ||
            libdeflate_crc32(0, data_.data() + n_data_, n) != load<uint32_t>(p + size - 8))
            std::exit(1);
        n_data_ += n;
        coffset_ += size;
        ++n_blocks;
    }

    File file_;
    libdeflate_decompressor* decompressor_;
    size_t coffset_ = 0;
    std::vector<uint8_t> data_;
    size_t n_data_ = 0;
};

}  // namespace

int main(int argc, char** argv) {
    if (argc < 4) return 1;
    const File file = map(argv[1]);
    const QbiIndex index(argv[2]);
    NameReader reader(argv[3]);
    NameList names;
    for (std::string_view name; reader.next(name);) names.add(name);
    const int n_threads = argc > 4 ? std::atoi(argv[4]) : 1;
    const auto candidates = find_candidates(index, names);
    std::vector<size_t> blocks;  // of candidates: where a block begins
    for (size_t i = 0; i < candidates.size(); ++i)
        if (i == 0 || candidates[i].voffset.coffset() != candidates[i - 1].voffset.coffset())
            blocks.push_back(i);
    blocks.push_back(candidates.size());

    std::atomic<size_t> next{0};
    std::atomic<uint64_t> n_records{0}, n_inflated{0};
    const auto work = [&] {
        constexpr size_t kAtOnce = 8;
        Inflater inflater(file);
        uint64_t n = 0;
        for (size_t begin; (begin = next.fetch_add(kAtOnce)) + 1 < blocks.size();)
            for (size_t b = begin; b < begin + kAtOnce && b + 1 < blocks.size(); ++b) {
                inflater.start(candidates[blocks[b]].voffset.coffset());
                for (size_t i = blocks[b]; i < blocks[b + 1]; ++i) {
                    const size_t at = candidates[i].voffset.uoffset();
                    const size_t size = 4 + load<uint32_t>(inflater.data(at + 4) + at);
                    const uint8_t* record = inflater.data(at + size) + at;
                    const auto name = names.name(candidates[i].name);
                    n += record[12] == name.size() + 1 &&
                         std::memcmp(record + 36, name.data(), name.size()) == 0;
                }
            }
        n_records += n;
        n_inflated += inflater.n_blocks;
    };
    std::vector<std::thread> threads;
    for (int i = 0; i < n_threads; ++i) threads.emplace_back(work);
    for (auto& thread : threads) thread.join();
    std::printf("%zu names, %llu records, %llu blocks, %d threads\n", size_t{names.size()},
                static_cast<unsigned long long>(n_records.load()),
                static_cast<unsigned long long>(n_inflated.load()), n_threads);
}
