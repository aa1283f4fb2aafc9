// bench_qbi_lookup: how fast read-name indexes are encoded, opened, looked up and walked:
// QBI1 and QBI2 files, and the names section of a .qbx with each width of remainders.
//
//   bench/bench_qbi_lookup [--qbx-only] [RECORDS [NAMES [QUERIES]]]
//                                                       default 1000000 500000 100000
//
// Synthetic rows: NAMES uniform random hashes with RECORDS / NAMES records each, at random
// places, or for .qbx with mates some hundred ordinals apart; QUERIES present and as many
// absent hashes in random order. Index files are written to TMPDIR (or /tmp) and mapped;
// "preloaded" are sections in huge pages. Each figure is the median of seven rounds after
// one that is not counted. "find" asks one hash at a time, "batch" all in one call; both
// times include the decoding of all virtual offsets or ordinals. One thread. In the same
// run: a random 64-byte line of as much memory, with 16 in flight.
//
// --qbx-only takes 100 million names in a few minutes and 6 GB.
#include <fcntl.h>
#include <sys/mman.h>
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

#include "line_buffer.hpp"
#include "qbi2_kernels.hpp"
#include "qbi_writer.hpp"
#include "qbix/qbi_index.hpp"
#include "qbx_names.hpp"
#include "qbx_names_writer.hpp"

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

// ---- .qbx ------------------------------------------------------------------------------

// Rows whose names have their records within some hundred ordinals, as pairs do in a file
// that is sorted by coordinate. Ordinals are 0 to the number of rows.
std::vector<IndexRow> rows_with_ordinals(const std::vector<IndexRow>& like) {
    std::mt19937_64 random(20260103);
    struct Start {
        uint64_t place;
        uint64_t hash;
    };
    std::vector<Start> starts;
    starts.reserve(like.size());
    uint64_t place = 0;
    for (size_t i = 0; i < like.size(); ++i) {
        const bool is_mate = i > 0 && like[i].hash == like[i - 1].hash;
        place = is_mate ? place + 1 + random() % 600 : random() % like.size();
        starts.push_back({place, like[i].hash.value});
    }
    std::sort(starts.begin(), starts.end(),
              [](const Start& a, const Start& b) { return a.place < b.place; });
    std::vector<IndexRow> rows;
    rows.reserve(starts.size());
    for (size_t i = 0; i < starts.size(); ++i) rows.push_back({{starts[i].hash}, {i}});
    std::sort(rows.begin(), rows.end());
    return rows;
}

void find_each(const QbxNames& names, const std::vector<NameHash>& queries) {
    std::vector<uint64_t> ordinals;
    uint64_t sum = 0;
    for (const NameHash hash : queries) {
        ordinals.clear();
        names.find(hash, ordinals);
        for (const uint64_t ordinal : ordinals) sum += ordinal;
    }
    g_sum = sum;
}

void find_all(const QbxNames& names, const std::vector<NameHash>& queries) {
    static OrdinalGroups found;
    names.find_batch(queries, found);
    uint64_t sum = 0;
    for (const uint64_t ordinal : found.ordinals) sum += ordinal;
    g_sum = sum;
}

// A file that is mapped, read once, and gone afterwards.
class MappedCopy {
   public:
    MappedCopy(std::span<const uint8_t> bytes, const std::string& path) : size_(bytes.size()) {
        std::ofstream(path, std::ios::binary)
            .write(reinterpret_cast<const char*>(bytes.data()),
                   static_cast<std::streamsize>(bytes.size()));
        const int fd = open(path.c_str(), O_RDONLY);
        data_ = mmap(nullptr, size_, PROT_READ, MAP_SHARED, fd, 0);
        close(fd);
        std::filesystem::remove(path);
        if (data_ == MAP_FAILED) throw std::runtime_error("cannot map " + path);
        uint64_t sum = 0;
        for (size_t i = 0; i < size_; i += 4096) sum += mapping()[i];
        g_sum = sum;
    }
    ~MappedCopy() { munmap(data_, size_); }
    MappedCopy(const MappedCopy&) = delete;
    MappedCopy& operator=(const MappedCopy&) = delete;
    std::span<const uint8_t> mapping() const { return {static_cast<const uint8_t*>(data_), size_}; }

   private:
    size_t size_;
    void* data_;
};

// Nanoseconds a random line of `bytes`, 16 in flight.
double line_floor_ns(std::span<const uint8_t> bytes) {
    constexpr size_t kReads = 1 << 18, kAhead = 16;
    std::mt19937_64 random(1);
    std::vector<uint64_t> at(kReads + kAhead);
    for (uint64_t& place : at) place = random() % (bytes.size() / 64) * 64;
    return median_ns([&] {
               uint64_t sum = 0;
               for (size_t i = 0; i < kReads; ++i) {
                   __builtin_prefetch(&bytes[at[i + kAhead]]);
                   sum += bytes[at[i]];
               }
               g_sum = sum;
           }) /
           kReads;
}

void measure_section(const Workload& load, std::span<const uint8_t> bytes, const char* what) {
    const auto section = QbxSection::of_memory(bytes);
    const QbxNames names(*section);
    const auto n_queries = static_cast<double>(load.present.size());
    const double floor_ns = line_floor_ns(bytes);
    std::printf("  %-18s %8.1f %8.1f %8.1f %8.1f   line %.1f\n", what,
                median_ns([&] { find_each(names, load.present); }) / n_queries,
                median_ns([&] { find_each(names, load.absent); }) / n_queries,
                median_ns([&] { find_all(names, load.present); }) / n_queries,
                median_ns([&] { find_all(names, load.absent); }) / n_queries, floor_ns);
}

void measure_qbx(const Workload& load, const std::vector<IndexRow>& rows, unsigned remainder_bits,
                 const std::string& path) {
    const auto start = std::chrono::steady_clock::now();
    const std::vector<uint8_t> bytes = encode_qbx_names(rows, remainder_bits);
    const std::chrono::duration<double, std::milli> encode_ms =
        std::chrono::steady_clock::now() - start;
    std::printf("QBX %u: %zu bytes, %.2f a record, encoded in %.1f ms\n", remainder_bits,
                bytes.size(), static_cast<double>(bytes.size()) / static_cast<double>(rows.size()),
                encode_ms.count());
    {
        LineBuffer buffer(bytes.size(), true);
        auto* copy = reinterpret_cast<uint8_t*>(buffer.data());
        std::copy(bytes.begin(), bytes.end(), copy);
        measure_section(load, {copy, bytes.size()}, "preloaded");
    }
    const MappedCopy mapped(bytes, path);
    measure_section(load, mapped.mapping(), "mapped");
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
    const bool qbx_only = argc > 1 && std::string(argv[1]) == "--qbx-only";
    const auto argument = [&](int i, size_t otherwise) {
        i += qbx_only;
        return argc > i ? static_cast<size_t>(std::strtoull(argv[i], nullptr, 10)) : otherwise;
    };
    const size_t n_records = argument(1, 1'000'000);
    const size_t n_names = argument(2, 500'000);
    const size_t n_queries = argument(3, 100'000);
    if (n_records == 0 || n_names == 0 || n_queries == 0) {
        std::fprintf(stderr, "usage: bench_qbi_lookup [--qbx-only] [RECORDS [NAMES [QUERIES]]]\n");
        return 1;
    }
    utsname system{};
    uname(&system);
    std::printf("# %s, %s %s, compiler %s, kernels: %s\n", processor().c_str(), system.sysname,
                system.machine, __VERSION__, qbi2::best_kernels().name);
    std::printf("# %zu records, %zu names, %zu queries; find and batch in ns a query\n", n_records,
                n_names, n_queries);
    Workload load = make_workload(n_records, n_names, n_queries);
    const std::string path = std::filesystem::temp_directory_path() / "bench_qbi_lookup.tmp";
    if (!qbx_only) {
        std::printf("%-6s %4s %11s %9s %8s %8s %8s %8s %8s %8s %8s\n", "format", "P", "bytes",
                    "encode_ms", "open_us", "find", "absent", "batch", "absent", "rows_ms",
                    "groups_ms");
        measure(load, IndexFormat::kQbi1, 0, path);
        for (const int radix_bits : {8, 12, 16}) {
            measure(load, IndexFormat::kQbi2, radix_bits, path);
        }
    }
    const std::vector<IndexRow> rows = rows_with_ordinals(load.rows);
    load.rows = {};
    std::printf("# .qbx: %27s %8s %8s %8s\n", "find", "absent", "batch", "absent");
    for (const unsigned remainder_bits : {16, 24, 32}) {
        if (!qbx_only || remainder_bits == 16) measure_qbx(load, rows, remainder_bits, path);
    }
    return 0;
}
