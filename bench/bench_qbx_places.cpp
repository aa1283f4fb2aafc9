// bench_qbx_places: names to places of records, ns a name: the whole way through a .qbx, from the
// hash over the ordinals to the blocks, one at a time and in batches as qbix view asks.
//
//   bench_qbx_places INDEX NAMES.txt [preload]
//
// INDEX may be a .qbi, too. The list is asked in a random order; medians over chunks of 16,384
// names, of several passes.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <random>
#include <vector>

#include "qbix/name_hash.hpp"
#include "qbix/name_index.hpp"
#include "qbix/name_list.hpp"

namespace {

using namespace qbix;
using Clock = std::chrono::steady_clock;

constexpr size_t kChunk = 16384;
constexpr size_t kBatch = 4096;
constexpr int kPasses = 7;

volatile uint64_t sink;

template <class F>
double median_ns(const std::vector<NameHash>& hashes, F ask) {
    std::vector<double> ns;
    for (int pass = 0; pass < kPasses; ++pass)
        for (size_t begin = 0; begin < hashes.size(); begin += kChunk) {
            const size_t n = std::min(kChunk, hashes.size() - begin);
            const auto start = Clock::now();
            ask(std::span(hashes).subspan(begin, n));
            const std::chrono::duration<double, std::nano> time = Clock::now() - start;
            if (pass > 0) ns.push_back(time.count() / static_cast<double>(n));
        }
    std::nth_element(ns.begin(), ns.begin() + static_cast<ptrdiff_t>(ns.size() / 2), ns.end());
    return ns[ns.size() / 2];
}

void measure(const NameIndex& index, const std::vector<NameHash>& hashes, const char* what) {
    std::vector<RecordPlace> places;
    const double one = median_ns(hashes, [&](std::span<const NameHash> some) {
        for (const NameHash hash : some) {
            places.clear();
            index.find_places(hash, places);
            sink = places.size();
        }
    });
    PlaceGroups found;
    const double batch = median_ns(hashes, [&](std::span<const NameHash> some) {
        for (; !some.empty(); some = some.subspan(std::min(some.size(), kBatch)))
            index.find_places_batch(some.first(std::min(some.size(), kBatch)), found);
        sink = found.places.size();
    });
    std::printf("%-8s %8zu names: one at a time %6.1f ns, in batches %6.1f ns\n", what,
                hashes.size(), one, batch);
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
