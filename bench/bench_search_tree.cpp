// bench_search_tree: ns a query of SearchTree, beside std::lower_bound and the memory floor.
//
//   bench_search_tree [--large] [--size MB] [--simd scalar|avx2|avx512] [--hashes] [--huge]
//                     [--rounds N] [--tsv]
//
// For 8 and 128 MB of keys (--large adds 1 GB, --size takes that one only), for hashes and
// for sparse ascending ids, with huge pages and without (--hashes, --huge: only those): one
// million random queries, present and absent, by every method and in both layouts. All read
// the same copy of the keys, binary search too. Numbers are medians over pieces of 16,384
// queries (of the whole million for threads), wall clock; the rounds take turns. The line
// floor is what a random 64-byte line of the same memory costs with 16 prefetches in flight.
// --tsv prints "case <tab> ns" lines for track_medians.sh.
#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <string>
#include <vector>

#include "cpu_features.hpp"
#include "qbix/search_tree.hpp"

using qbix::Ask;
using qbix::SearchTree;
using qbix::SearchTreeOptions;
using qbix::SimdLevel;

namespace {

using Clock = std::chrono::steady_clock;
using Keys = std::vector<uint64_t>;

constexpr size_t kPiece = 16384;
constexpr size_t kQueries = size_t{1} << 20;

volatile uint64_t sink;

struct Arguments {
    std::vector<size_t> sizes_mb = {8, 128};
    SimdLevel max_simd = qbix::best_simd_level();
    bool only_hashes = false;
    bool only_huge = false;
    bool tsv = false;
    int rounds = 3;
};

double ns_since(Clock::time_point start) {
    return std::chrono::duration<double, std::nano>(Clock::now() - start).count();
}

double median(std::vector<double> values) {
    if (values.empty()) return NAN;
    const auto middle = values.begin() + values.size() / 2;
    std::nth_element(values.begin(), middle, values.end());
    return *middle;
}

uint64_t mix(uint64_t x) {
    x += 0x9e3779b97f4a7c15;
    x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9;
    x = (x ^ x >> 27) * 0x94d049bb133111eb;
    return x ^ x >> 31;
}

// ---- keys and queries

// Sorted random numbers are made from their gaps, which are exponential.
Keys make_hashes(size_t n) {
    const double mean_gap = std::ldexp(0.999, 64) / static_cast<double>(n);
    Keys keys(n);
    uint64_t key = 0;
    for (size_t i = 0; i < n; ++i) {
        const double uniform = static_cast<double>(mix(i) >> 11) * 0x1p-53;
        key += 1 + static_cast<uint64_t>(-std::log1p(-uniform) * mean_gap);
        keys[i] = key;
    }
    return keys;
}

Keys make_ids(size_t n) {
    Keys keys(n);
    uint64_t key = 1'000'000;
    for (size_t i = 0; i < n; ++i) keys[i] = key += 1 + mix(i) % 599;
    return keys;
}

struct Queries {
    const char* name;
    Keys keys;
    Keys want;  // lower bounds
};

Queries present_queries(const Keys& keys) {
    Queries queries{"present", Keys(kQueries), Keys(kQueries)};
    for (size_t i = 0; i < kQueries; ++i) {
        queries.want[i] = mix(i ^ 0x5555) % keys.size();
        queries.keys[i] = keys[queries.want[i]];
    }
    return queries;
}

Queries absent_queries(const Keys& keys) {
    Queries queries{"absent", {}, {}};
    for (uint64_t i = 0; queries.keys.size() < kQueries; ++i) {
        const uint64_t before = mix(i ^ 0xaaaa) % (keys.size() - 1);
        if (keys[before + 1] == keys[before] + 1) continue;
        queries.want.push_back(before + 1);
        queries.keys.push_back(keys[before] + 1 + mix(i) % (keys[before + 1] - keys[before] - 1));
    }
    return queries;
}

// ---- measuring

double line_floor_ns(std::span<const uint64_t> memory) {
    constexpr size_t kAhead = 16;
    static Keys at(kQueries + kAhead);
    for (size_t i = 0; i < at.size(); ++i) at[i] = mix(i) % (memory.size() / 8) * 8;
    std::vector<double> times;
    for (size_t begin = 0; begin < kQueries; begin += kPiece) {
        uint64_t sum = 0;
        const auto start = Clock::now();
        for (size_t i = begin; i < begin + kPiece; ++i) {
            __builtin_prefetch(&memory[at[i + kAhead]]);
            sum += memory[at[i]];
        }
        times.push_back(ns_since(start) / kPiece);
        sink = sum;
    }
    return median(times);
}

using Method = std::function<void(std::span<const uint64_t>, std::span<uint64_t>)>;

struct Row {
    std::string layout;
    std::string method;
    size_t piece;
    int rounds;
    Method run;
    std::vector<double> times[2];  // present, absent
    double ns(int which) const { return median(times[which]); }
};

void time_row(Row& row, int which, const Queries& queries, Keys& answers) {
    std::fill(answers.begin(), answers.end(), 0);
    for (size_t begin = 0; begin < kQueries; begin += row.piece) {
        const std::span<const uint64_t> keys(queries.keys.data() + begin, row.piece);
        const auto start = Clock::now();
        row.run(keys, {answers.data() + begin, row.piece});
        row.times[which].push_back(ns_since(start) / static_cast<double>(row.piece));
    }
    if (answers == queries.want) return;
    std::fprintf(stderr, "%s, %s: wrong answers\n", row.layout.c_str(), row.method.c_str());
    std::exit(1);
}

void add_tree_rows(const SearchTree& tree, const std::string& layout, int rounds,
                   std::vector<Row>& rows) {
    constexpr Ask kAsk = Ask::kLowerBound;
    const auto add = [&](const char* method, size_t piece, Method run) {
        rows.push_back({layout, method, piece, rounds, std::move(run), {}});
    };
    add("serial", kPiece, [&tree](auto keys, auto answers) {
        for (size_t i = 0; i < keys.size(); ++i) answers[i] = tree.lower_bound(keys[i]);
    });
    add("batch 16", kPiece, [&tree](auto k, auto a) { tree.batch<16>(kAsk, k, a); });
    add("batch 32", kPiece, [&tree](auto k, auto a) { tree.batch<32>(kAsk, k, a); });
    add("batch 128", kPiece, [&tree](auto k, auto a) { tree.batch<128>(kAsk, k, a); });
    add("interleaved", kPiece, [&tree](auto k, auto a) { tree.interleaved(kAsk, k, a); });
    add("1 thread", kQueries, [&tree](auto k, auto a) { tree.parallel(kAsk, k, a, 1); });
    add("2 threads", kQueries, [&tree](auto k, auto a) { tree.parallel(kAsk, k, a, 2); });
}

// ---- one table: one size, kind of keys and kind of pages

struct Case {
    size_t size_mb;
    const char* kind;
    bool huge_pages;
};

struct Built {
    SearchTree tree;
    double ms;
};

Built build(const Keys& keys, const Case& what, bool directory, const Arguments& arguments) {
    const SearchTreeOptions options{
        .huge_pages = what.huge_pages, .directory = directory, .max_simd = arguments.max_simd};
    const auto start = Clock::now();
    SearchTree tree(keys, options);
    return {std::move(tree), ns_since(start) / 1e6};
}

void print_tsv(const Case& what, const std::vector<Row>& rows, double floor_ns) {
    const std::string prefix =
        std::to_string(what.size_mb) + "MB/" + what.kind + (what.huge_pages ? "/huge/" : "/small/");
    std::printf("%sline_floor\t%.2f\n", prefix.c_str(), floor_ns);
    for (const Row& row : rows) {
        for (int which : {0, 1}) {
            std::string name = prefix + row.layout + "/" + row.method;
            std::replace(name.begin(), name.end(), ' ', '_');
            std::printf("%s/%s\t%.2f\n", name.c_str(), which ? "absent" : "present", row.ns(which));
        }
    }
}

void print_table(const Case& what, const std::vector<Row>& rows, double floor_ns) {
    std::printf("\n%zu MB of %s, %s pages: line floor %.1f ns\n", what.size_mb, what.kind,
                what.huge_pages ? "huge" : "4 KiB", floor_ns);
    std::printf("  %-10s %-16s %9s %9s %9s %9s\n", "layout", "method", "present", "absent",
                "x floor", "speed-up");
    const double slow_ns = rows.front().ns(0);
    for (const Row& row : rows) {
        std::printf("  %-10s %-16s %9.1f %9.1f %9.2f %9.1f\n", row.layout.c_str(),
                    row.method.c_str(), row.ns(0), row.ns(1), row.ns(0) / floor_ns,
                    slow_ns / row.ns(0));
    }
}

void run_case(const Case& what, const Keys& keys, const Arguments& arguments) {
    std::vector<Built> built;
    for (bool directory : {true, false}) built.push_back(build(keys, what, directory, arguments));
    const std::span<const uint64_t> sorted = built[1].tree.keys();
    std::vector<Row> rows;
    rows.push_back({"array",
                    "std::lower_bound",
                    kPiece,
                    1,
                    [&](auto wanted, auto answers) {
                        for (size_t i = 0; i < wanted.size(); ++i) {
                            answers[i] = std::lower_bound(sorted.begin(), sorted.end(), wanted[i]) -
                                         sorted.begin();
                        }
                    },
                    {}});
    for (const Built& b : built) {
        add_tree_rows(b.tree, b.tree.has_directory() ? "directory" : "nodes", arguments.rounds,
                      rows);
    }
    const Queries queries[] = {present_queries(keys), absent_queries(keys)};
    Keys answers(kQueries);
    std::vector<double> floors;
    for (int round = 0; round < arguments.rounds; ++round) {
        floors.push_back(line_floor_ns(sorted));
        for (Row& row : rows) {
            if (round >= row.rounds) continue;
            // A whole million is one number, a piece one of 64.
            const int n_times = row.piece == kQueries ? 5 : 1;
            for (int i = 0; i < 2 * n_times; ++i) time_row(row, i % 2, queries[i % 2], answers);
        }
    }
    if (arguments.tsv) return print_tsv(what, rows, median(floors));
    print_table(what, rows, median(floors));
    for (const Built& b : built) {
        std::printf("  %s: built in %.1f ms (%.1f ns a key), %.1f MiB\n",
                    b.tree.has_directory() ? "directory" : "nodes", b.ms,
                    b.ms * 1e6 / static_cast<double>(keys.size()),
                    static_cast<double>(b.tree.size_bytes()) / (1 << 20));
    }
}

// ---- arguments

[[noreturn]] void usage() {
    std::fprintf(stderr,
                 "usage: bench_search_tree [--large] [--size MB] [--simd scalar|avx2|avx512]\n"
                 "                         [--hashes] [--huge] [--rounds N] [--tsv]\n");
    std::exit(2);
}

SimdLevel simd_of(const std::string& name) {
    if (name == "scalar") return SimdLevel::kScalar;
    if (name == "avx2") return SimdLevel::kAvx2;
    if (name == "avx512") return SimdLevel::kAvx512;
    usage();
}

Arguments parse(int argc, char** argv) {
    Arguments arguments;
    for (int i = 1; i < argc; ++i) {
        const std::string option = argv[i];
        const auto value = [&] { return i + 1 < argc ? std::string(argv[++i]) : (usage(), ""); };
        if (option == "--large")
            arguments.sizes_mb.push_back(1024);
        else if (option == "--size")
            arguments.sizes_mb = {std::stoul(value())};
        else if (option == "--simd")
            arguments.max_simd = simd_of(value());
        else if (option == "--hashes")
            arguments.only_hashes = true;
        else if (option == "--huge")
            arguments.only_huge = true;
        else if (option == "--rounds")
            arguments.rounds = std::max(1, std::stoi(value()));
        else if (option == "--tsv")
            arguments.tsv = true;
        else
            usage();
    }
    return arguments;
}

}  // namespace

int main(int argc, char** argv) {
    const Arguments arguments = parse(argc, argv);
    if (!arguments.tsv) {
        std::printf("%s, ns a query\n",
                    qbix::simd_level_name(std::min(arguments.max_simd, qbix::best_simd_level())));
    }
    for (size_t size_mb : arguments.sizes_mb) {
        const size_t n = std::max<size_t>(size_mb << 20, kPiece) / sizeof(uint64_t);
        for (bool hashes : {true, false}) {
            if (!hashes && arguments.only_hashes) continue;
            const Keys keys = hashes ? make_hashes(n) : make_ids(n);
            for (bool huge_pages : {true, false}) {
                if (!huge_pages && arguments.only_huge) continue;
                run_case({size_mb, hashes ? "hashes" : "ids", huge_pages}, keys, arguments);
            }
        }
    }
}
