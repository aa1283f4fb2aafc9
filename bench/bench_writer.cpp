// bench_writer.cpp: times bgzf_writer on records that lie in memory.
//
//   bench_writer stream  RAW OUT BACKEND LEVEL WORKERS [HOOK]        one thread writes
//   bench_writer free    RAW OUT BACKEND LEVEL WORKERS PRODUCERS [BURN]   unordered producers
//   bench_writer batches RAW OUT BACKEND LEVEL WORKERS PRODUCERS [BURN]   numbered batches
//   bench_writer floor   RAW OUT BACKEND LEVEL THREADS     the bare compressor, no output
//
// RAW is an uncompressed BAM ("samtools view -u in.bam | bgzip -dc"). HOOK 1 sums up the
// commit hook's calls. BURN is CPU time, in microseconds, that a producer burns for each
// batch of 256 kB, as an aligner would. Prints one line; wall (t) and CPU time (cpu) in seconds
// are the writer's alone.
#include <sys/resource.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iostream>
#include <string>
#include <thread>
#include <vector>

#include "bgzfw/writer.hpp"
#include "block_encoder.hpp"
#include "block_format.hpp"

namespace {

using Clock = std::chrono::steady_clock;
using Bytes = std::span<const uint8_t>;

constexpr size_t kBatchBytes = 256 << 10;

uint32_t u32(const uint8_t* p) {
    uint32_t v;
    std::memcpy(&v, p, 4);
    return v;
}

struct Input {
    std::vector<uint8_t> bytes;
    Bytes header;
    Bytes records;
    std::vector<Bytes> batches;  // `records`, in pieces of about kBatchBytes
};

size_t header_size(const std::vector<uint8_t>& bytes) {
    size_t position = 8 + u32(bytes.data() + 4);
    const uint32_t n_references = u32(bytes.data() + position);
    position += 4;
    for (uint32_t i = 0; i < n_references; ++i) position += 8 + u32(bytes.data() + position);
    return position;
}

Input load(const std::string& path) {
    Input input;
    std::ifstream file(path, std::ios::binary | std::ios::ate);
    input.bytes.resize(static_cast<size_t>(file.tellg()));
    file.seekg(0);
    file.read(reinterpret_cast<char*>(input.bytes.data()),
              static_cast<std::streamsize>(input.bytes.size()));
    const Bytes all(input.bytes);
    const size_t begin = header_size(input.bytes);
    size_t batch = begin, position = begin;
    while (position + 4 <= all.size()) {
        const size_t size = size_t{u32(all.data() + position)} + 4;
        if (position + size > all.size()) break;  // cut off: left out
        position += size;
        if (position - batch >= kBatchBytes) {
            input.batches.push_back(all.subspan(batch, position - batch));
            batch = position;
        }
    }
    if (position > batch) input.batches.push_back(all.subspan(batch, position - batch));
    input.header = all.first(begin);
    input.records = all.subspan(begin, position - begin);
    return input;
}

// Does what an index does at the least: looks at each record.
class SummingHook : public bgzfw::CommitHook {
   public:
    void on_records(std::span<const bgzfw::CommittedRecord> records) override {
        for (const auto& record : records) {
            const size_t l_name = record.bytes[12];
            for (size_t i = 0; i < l_name; ++i) sum_ = sum_ * 31 + record.bytes[36 + i];
            sum_ ^= record.begin_voffset + record.end_voffset;
        }
        n_records += records.size();
    }
    uint64_t n_records = 0;

   private:
    uint64_t sum_ = 0;
};

double cpu_seconds() {
    timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return static_cast<double>(t.tv_sec) + static_cast<double>(t.tv_nsec) * 1e-9;
}

void burn(double microseconds) {
    timespec t;
    const auto now = [&] {
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
        return static_cast<double>(t.tv_sec) * 1e6 + static_cast<double>(t.tv_nsec) * 1e-3;
    };
    for (const double end = now() + microseconds; now() < end;) {
    }
}

void run_producers(bgzfw::Writer& writer, const Input& input, bool numbered, int n_producers,
                   double burn_us) {
    std::atomic<size_t> next{0};
    const auto work = [&] {
        auto producer = writer.producer();
        for (size_t i; (i = next++) < input.batches.size();) {
            if (burn_us > 0) burn(burn_us);
            if (numbered) {
                producer.submit(input.batches[i], i);
            } else {
                producer.write_encoded(input.batches[i]);
            }
        }
        producer.finish();
    };
    std::vector<std::thread> threads;
    for (int i = 1; i < n_producers; ++i) threads.emplace_back(work);
    work();
    for (auto& thread : threads) thread.join();
}

// What no writer can beat: full blocks, taken from a counter, compressed and dropped.
uint64_t run_floor(Bytes bytes, const bgzfw::Options& options) {
    std::atomic<size_t> next{0};
    std::atomic<uint64_t> n_out{0};
    const auto work = [&] {
        const auto encoder = bgzfw::make_block_encoder(options.backend, options.level);
        std::vector<uint8_t> block(bgzfw::kMaxBlockBytes);
        for (size_t begin; (begin = bgzfw::kMaxPayload * next++) < bytes.size();) {
            const size_t n = std::min(bgzfw::kMaxPayload, bytes.size() - begin);
            n_out += encoder->encode(bytes.subspan(begin, n), block.data());
        }
    };
    std::vector<std::thread> threads;
    for (int i = 1; i < options.workers; ++i) threads.emplace_back(work);
    work();
    for (auto& thread : threads) thread.join();
    return n_out;
}

uint64_t run_writer(const std::string& mode, const Input& input, const char* path,
                    const bgzfw::Options& options, int extra, double burn_us) {
    bgzfw::Writer writer(path, bgzfw::BamHeader::from_bytes(input.header), options);
    if (mode == "stream") {
        writer.write_encoded(input.records);
    } else {
        run_producers(writer, input, mode == "batches", extra, burn_us);
    }
    writer.close();
    return writer.bytes_written();
}

int run(int argc, char** argv) {
    const std::string mode = argv[1];
    const Input input = load(argv[2]);
    SummingHook hook;
    bgzfw::Options options;
    options.backend = bgzfw::parse_backend(argv[4]);
    options.level = std::atoi(argv[5]);
    options.workers = std::atoi(argv[6]);
    const int extra = argc > 7 ? std::atoi(argv[7]) : 0;
    if (mode == "batches") options.order = bgzfw::Order::kByBatch;
    if (mode == "stream" && extra) options.hook = &hook;

    const auto start = Clock::now();
    const double cpu_start = cpu_seconds();
    const uint64_t n_out = mode == "floor" ? run_floor(input.records, options)
                                           : run_writer(mode, input, argv[3], options, extra,
                                                        argc > 8 ? std::atof(argv[8]) : 0);
    const double seconds = std::chrono::duration<double>(Clock::now() - start).count();
    const double cpu = cpu_seconds() - cpu_start;

    rusage usage{};
    getrusage(RUSAGE_SELF, &usage);
    const long rss_mb = usage.ru_maxrss / 1024 - static_cast<long>(input.bytes.size() >> 20);
    std::printf(
        "%s\t%s\tlevel=%d\tworkers=%d\textra=%d\tin=%zu\tout=%llu\tt=%.3f\tcpu=%.3f\trss_mb=%ld\n",
        mode.c_str(), argv[4], options.level, options.workers, extra, input.records.size(),
        static_cast<unsigned long long>(n_out), seconds, cpu, rss_mb);
    return 0;
}

}  // namespace

int main(int argc, char** argv) {
    if (argc < 7) {
        std::cerr << "usage: bench_writer stream|free|batches|floor RAW OUT BACKEND LEVEL WORKERS "
                     "[HOOK | PRODUCERS [BURN]]\n";
        return 1;
    }
    try {
        return run(argc, argv);
    } catch (const std::exception& e) {
        std::cerr << "bench_writer: " << e.what() << "\n";
        return 1;
    }
}
