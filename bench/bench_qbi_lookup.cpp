// bench_qbi_lookup: how fast QBI1 and QBI2 are encoded, opened, looked up and walked.
//
//   bench/bench_qbi_lookup [RECORDS [NAMES [QUERIES]]]     default 1000000 500000 100000
//
// Synthetic rows: NAMES uniform random hashes with RECORDS / NAMES records each, offsets at
// random places; QUERIES present and as many absent hashes in random order. Index files are
// written to TMPDIR (or /tmp) and mapped. Each figure is the median of seven rounds after
// one that is not counted. "find" asks one hash at a time, "batch" all in one call; both
// times include the decoding of all virtual offsets. One thread.
#include <sys/utsname.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <random>
#include <string>
#include <vector>

#include "qbi2_kernels.hpp"
#include "qbi_writer.hpp"
#include "qbix/qbi_index.hpp"

namespace {

using namespace qbix;

constexpr int kRounds = 7;
constexpr BamIdentity kBam{.size_bytes = uint64_t{1} << 47, .mtime_ns = 1, .header_hash = 2};

// Nanoseconds, the median of kRounds after one that is not counted.
double median_ns(const std::function<void()>& work) {
    std::vector<double> times;
    for (int round = 0; round <= kRounds; ++round) {
        const auto start = std::chrono::steady_clock::now();
        work();
        const std::chrono::duration<double, std::nano> elapsed =
            std::chrono::steady_clock::now() - start;
        if (round > 0) times.push_back(elapsed.count());
    }
    std::sort(times.begin(), times.end());
    return times[times.size() / 2];
}

// Where results end, so that no work is left out.
volatile uint64_t g_sum;

struct Workload {
    std::vector<IndexRow> rows;
    std::vector<NameHash> present;
    std::vector<NameHash> absent;
};

Workload make_workload(size_t n_records, size_t n_names, size_t n_queries) {
    std::mt19937_64 random(20260102);
    Workload load;
    std::vector<NameHash> hashes(n_names);
    for (NameHash& hash : hashes) hash.value = random();
    std::sort(hashes.begin(), hashes.end());
    hashes.erase(std::unique(hashes.begin(), hashes.end()), hashes.end());
    for (size_t i = 0; i < n_records; ++i) {
        load.rows.push_back({hashes[i % hashes.size()], {random() >> 18}});
    }
    std::sort(load.rows.begin(), load.rows.end());
    for (size_t i = 0; i < n_queries; ++i) {
        load.present.push_back(hashes[random() % hashes.size()]);
        NameHash hash;
        do hash.value = random();
        while (std::binary_search(hashes.begin(), hashes.end(), hash));
        load.absent.push_back(hash);
    }
    return load;
}

void find_each(const QbiIndex& index, const std::vector<NameHash>& queries) {
    std::vector<VirtualOffset> voffsets;
    uint64_t sum = 0;
    for (const NameHash hash : queries) {
        voffsets.clear();
        index.read_voffsets(index.find(hash), voffsets);
        for (const VirtualOffset voffset : voffsets) sum += voffset.value;
    }
    g_sum = sum;
}

void find_all(const QbiIndex& index, const std::vector<NameHash>& queries) {
    static std::vector<RowRange> found;
    static std::vector<VirtualOffset> voffsets;
    found.resize(queries.size());
    index.find_batch(queries, found);
    voffsets.clear();
    for (const RowRange rows : found) index.read_voffsets(rows, voffsets);
    uint64_t sum = 0;
    for (const VirtualOffset voffset : voffsets) sum += voffset.value;
    g_sum = sum;
}

void scan_records(const QbiIndex& index) {
    std::vector<IndexRow> rows(1024);
    RowCursor cursor(index);
    uint64_t sum = 0;
    while (const size_t n = cursor.next(rows)) {
        for (size_t i = 0; i < n; ++i) sum += rows[i].hash.value ^ rows[i].voffset.value;
    }
    g_sum = sum;
}

void scan_groups(const QbiIndex& index) {
    std::vector<HashGroup> groups(1024);
    GroupCursor cursor(index);
    uint64_t sum = 0;
    while (const size_t n = cursor.next(groups)) {
        for (size_t i = 0; i < n; ++i) sum += groups[i].hash.value + groups[i].rows.begin;
    }
    g_sum = sum;
}

void measure(const Workload& load, IndexFormat format, int radix_bits, const std::string& path) {
    std::vector<uint8_t> bytes;
    const double encode_ns =
        median_ns([&] { bytes = encode_qbi(load.rows, format, radix_bits, kBam); });
    std::ofstream(path, std::ios::binary)
        .write(reinterpret_cast<const char*>(bytes.data()),
               static_cast<std::streamsize>(bytes.size()));
    const double open_ns = median_ns([&] { QbiIndex opened(path); });
    const QbiIndex index(path);
    const auto n_queries = static_cast<double>(load.present.size());
    std::printf("%-6s %4s %11zu %9.2f %8.1f %8.1f %8.1f %8.1f %8.1f %8.2f %8.2f\n",
                format == IndexFormat::kQbi1 ? "QBI1" : "QBI2",
                radix_bits ? std::to_string(radix_bits).c_str() : "-", bytes.size(),
                encode_ns / 1e6, open_ns / 1e3,
                median_ns([&] { find_each(index, load.present); }) / n_queries,
                median_ns([&] { find_each(index, load.absent); }) / n_queries,
                median_ns([&] { find_all(index, load.present); }) / n_queries,
                median_ns([&] { find_all(index, load.absent); }) / n_queries,
                median_ns([&] { scan_records(index); }) / 1e6,
                median_ns([&] { scan_groups(index); }) / 1e6);
    std::filesystem::remove(path);
}

std::string processor() {
    std::ifstream cpuinfo("/proc/cpuinfo");
    for (std::string line; std::getline(cpuinfo, line);) {
        if (line.starts_with("model name")) return line.substr(line.find(':') + 2);
    }
    return "unknown processor";
}

}  // namespace

int main(int argc, char** argv) {
    const auto argument = [&](int i, size_t otherwise) {
        return argc > i ? static_cast<size_t>(std::strtoull(argv[i], nullptr, 10)) : otherwise;
    };
    const size_t n_records = argument(1, 1'000'000);
    const size_t n_names = argument(2, 500'000);
    const size_t n_queries = argument(3, 100'000);
    if (n_records == 0 || n_names == 0 || n_queries == 0) {
        std::fprintf(stderr, "usage: bench_qbi_lookup [RECORDS [NAMES [QUERIES]]]\n");
        return 1;
    }
    utsname system{};
    uname(&system);
    std::printf("# %s, %s %s, compiler %s, kernels: %s\n", processor().c_str(), system.sysname,
                system.machine, __VERSION__, qbi2::best_kernels().name);
    std::printf("# %zu records, %zu names, %zu queries; find and batch in ns a query\n", n_records,
                n_names, n_queries);
    std::printf("%-6s %4s %11s %9s %8s %8s %8s %8s %8s %8s %8s\n", "format", "P", "bytes",
                "encode_ms", "open_us", "find", "absent", "batch", "absent", "rows_ms",
                "groups_ms");
    const Workload load = make_workload(n_records, n_names, n_queries);
    const std::string path = std::filesystem::temp_directory_path() / "bench_qbi_lookup.tmp";
    measure(load, IndexFormat::kQbi1, 0, path);
    for (const int radix_bits : {8, 12, 16}) {
        measure(load, IndexFormat::kQbi2, radix_bits, path);
    }
    return 0;
}
