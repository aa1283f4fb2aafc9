// bench_qbx_places: names to places of records, ns a name: the whole way through a .qbx, from the
// hash over the ordinals to the blocks, one at a time and in batches as qbix view asks.
//
//   bench_qbx_places INDEX NAMES.txt [preload]
//
// INDEX may be a .qbi, too. The list is asked in a random order; 10th percentiles and medians of
// the thread's CPU time over chunks of 16,384 names, of several passes.
#include <algorithm>
#include <cstdio>
#include <ctime>
#include <random>
#include <vector>

#include "qbix/name_hash.hpp"
#include "qbix/name_index.hpp"
#include "qbix/name_list.hpp"

namespace {

using namespace qbix;

constexpr size_t kChunk = 16384;
constexpr size_t kBatch = 4096;
constexpr int kPasses = 7;

volatile uint64_t sink;

double cpu_ns() {
    timespec time;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return static_cast<double>(time.tv_sec) * 1e9 + static_cast<double>(time.tv_nsec);
}

struct Times {
    double tenth, median;
};

template <class F>
Times time_chunks(const std::vector<NameHash>& hashes, F ask) {
    std::vector<double> ns;
    for (int pass = 0; pass < kPasses; ++pass)
        for (size_t begin = 0; begin < hashes.size(); begin += kChunk) {
            const size_t n = std::min(kChunk, hashes.size() - begin);
            const double start = cpu_ns();
            ask(std::span(hashes).subspan(begin, n));
            if (pass > 0) ns.push_back((cpu_ns() - start) / static_cast<double>(n));
        }
    std::sort(ns.begin(), ns.end());
    return {ns[ns.size() / 10], ns[ns.size() / 2]};
}

void measure(const NameIndex& index, const std::vector<NameHash>& hashes, const char* what) {
    std::vector<RecordPlace> places;
    const Times one = time_chunks(hashes, [&](std::span<const NameHash> some) {
        for (const NameHash hash : some) {
            places.clear();
            index.find_places(hash, places);
            sink = places.size();
        }
    });
    PlaceGroups found;
    const Times batch = time_chunks(hashes, [&](std::span<const NameHash> some) {
        for (; !some.empty(); some = some.subspan(std::min(some.size(), kBatch)))
            index.find_places_batch(some.first(std::min(some.size(), kBatch)), found);
        sink = found.places.size();
    });
    std::printf("%-8s %8zu names: one at a time %6.1f (%.1f) ns, in batches %6.1f (%.1f) ns\n",
                what, hashes.size(), one.tenth, one.median, batch.tenth, batch.median);
}

}  // namespace

int main(int argc, char** argv) {
    if (argc < 3) {
        std::fprintf(stderr, "usage: bench_qbx_places INDEX NAMES.txt [preload]\n");
        return 1;
    }
    const auto index = open_name_index(argv[1], argc > 3);
    std::vector<NameHash> present, absent;
    NameReader reader(argv[2]);
    for (std::string_view name; reader.next(name);) {
        present.push_back(hash_name(name));
        absent.push_back({~present.back().value});
    }
    std::mt19937 random(1);
    std::shuffle(present.begin(), present.end(), random);
    std::shuffle(absent.begin(), absent.end(), random);
    measure(*index, present, "present");
    measure(*index, absent, "absent");
    return 0;
}
