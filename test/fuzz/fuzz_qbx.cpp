// fuzz_qbx.cpp: opening a .qbx and asking it everything, with libFuzzer.
//
// The first byte of an input says how the rest is taken: even, as a file; odd, as one whose
// checksums are made right first, or else hardly an input would get past them.
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include "checksum.hpp"
#include "format_qbx.hpp"
#include "le_bytes.hpp"
#include "qbix/error.hpp"
#include "qbix/name_hash.hpp"
#include "qbx_state.hpp"

namespace {

using namespace qbix;

// Makes the checksums of the head, the table of contents and all sections of one chunk right.
void seal(std::vector<uint8_t>& bytes) {
    if (bytes.size() < qbx::kHeadBytes) return;
    const uint64_t size = bytes.size();
    store_le<uint64_t>(&bytes[8], size);
    const uint64_t toc = load_le<uint64_t>(&bytes[16]), toc_size = load_le<uint64_t>(&bytes[24]);
    if (toc <= size && toc_size <= size - toc) {
        for (uint64_t at = toc; at + 40 <= toc + toc_size; at += 40) {
            const uint64_t place = load_le<uint64_t>(&bytes[at + 8]);
            const uint64_t n = load_le<uint64_t>(&bytes[at + 16]);
            if (place <= size && n <= size - place)
                store_le(&bytes[at + 32], checksum_of({bytes.data() + place, n}));
        }
        store_le(&bytes[32], checksum_of({bytes.data() + toc, toc_size}));
    }
    store_le(&bytes[56], checksum_of({bytes.data(), 56}));
}

// A file in memory with a path.
class MemoryFile {
   public:
    MemoryFile() : fd_(memfd_create("fuzz", MFD_CLOEXEC)) {
        if (fd_ < 0) abort();
        path_ = "/proc/self/fd/" + std::to_string(fd_);
    }
    void set(const std::vector<uint8_t>& bytes) {
        if (ftruncate(fd_, 0) != 0 ||
            pwrite(fd_, bytes.data(), bytes.size(), 0) != static_cast<ssize_t>(bytes.size()))
            abort();
    }
    const std::string& path() const { return path_; }

   private:
    int fd_;
    std::string path_;
};

template <class F>
void ask(F f) {
    try {
        f();
    } catch (const Error&) {
    }
}

void use(const QbxIndex& index) {
    std::vector<NameHash> hashes;
    for (int i = 0; i < 40; ++i) hashes.push_back(hash_name("read" + std::to_string(i)));
    for (const uint64_t hash : {uint64_t{0}, UINT64_MAX, uint64_t{1} << 63, uint64_t{0x1234} << 48})
        hashes.push_back({hash});
    std::vector<RecordPlace> places;
    for (const NameHash hash : hashes) ask([&] { index.find_places(hash, places); });
    ask([&] {
        PlaceGroups found;
        index.find_places_batch(hashes, found);
        // What is found in a batch is what is found alone.
        for (size_t i = 0; i < hashes.size(); ++i) {
            places.clear();
            index.find_places(hashes[i], places);
            if (!std::equal(places.begin(), places.end(), found.of(i).begin(), found.of(i).end()))
                abort();
        }
    });
    ask([&] { index.matches(hashes[0], hashes[1]); });
    ask([&] { index.visit_names([](uint64_t) {}); });
    const BlockLocator& blocks = index.state().blocks;
    for (uint64_t i = 0; i < 20; ++i) {
        ask([&] {
            if (i < blocks.n_blocks()) blocks.block(i);
            blocks.block_at(i << 10);
        });
        ask([&] {
            if (index.record_count() != 0) index.place_of(index.record_count() / 20 * i);
        });
    }
    ask([&] { blocks.validate(); });
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
    static MemoryFile file;
    if (size == 0) return 0;
    std::vector<uint8_t> bytes(data + 1, data + size);
    if (data[0] % 2 == 1) seal(bytes);
    file.set(bytes);
    ask([&] { use(QbxIndex(file.path())); });
    return 0;
}
