// aligner.cpp: the output stage of an aligner, complete. N threads take batches of reads from a
// FASTQ file, align them (here: pretend to), encode the records and submit them; compression
// runs on the same threads, and the BAM has the order of the reads.
//
//   c++ -std=c++20 -pthread aligner.cpp -lbgzf_writer -o aligner
//   ./aligner reads.fq out.bam 8
#include <bgzfw/writer.hpp>

#include <atomic>
#include <cstring>
#include <exception>
#include <fstream>
#include <iostream>
#include <mutex>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

namespace {

struct Read {
    std::string name, bases, qualities;
};

struct Batch {
    uint64_t number = 0;  // 0, 1, 2, ...: its place in the output
    std::vector<Read> reads;
};

// Hands out the reads in numbered batches; any thread.
class ReadSource {
   public:
    explicit ReadSource(const std::string& path) : file_(path) {
        if (!file_) throw std::runtime_error("failed to open \"" + path + "\"");
    }

    // False at the end of the file.
    bool next(Batch& batch) {
        const std::lock_guard lock(mutex_);
        batch.reads.clear();
        std::string plus;
        Read read;
        while (batch.reads.size() < 1000 && std::getline(file_, read.name)) {
            std::getline(file_, read.bases);
            std::getline(file_, plus);
            std::getline(file_, read.qualities);
            read.name = read.name.substr(1, read.name.find_first_of(" \t") - 1);
            batch.reads.push_back(read);
        }
        batch.number = n_batches_;
        if (!batch.reads.empty()) ++n_batches_;
        return !batch.reads.empty();
    }

   private:
    std::mutex mutex_;
    std::ifstream file_;
    uint64_t n_batches_ = 0;
};

class RecordEncoder {
   public:
    void clear() { bytes_.clear(); }
    std::span<const uint8_t> bytes() const { return bytes_; }

    // A read aligned without gaps at `position` of reference `reference` (SAM specification 4.2).
    void add(const Read& read, int32_t reference, int32_t position) {
        const auto l_read_name = static_cast<uint32_t>(read.name.size() + 1);
        const auto l_seq = static_cast<uint32_t>(read.bases.size());
        put(32 + l_read_name + 4 + (l_seq + 1) / 2 + l_seq);  // block_size
        put(static_cast<uint32_t>(reference));
        put(static_cast<uint32_t>(position));
        put(bin(position, position + static_cast<int32_t>(l_seq)) << 16 | 60u << 8 | l_read_name);
        put(0u << 16 | 1u);  // FLAG, n_cigar_op
        put(l_seq);
        put(~0u);  // no mate
        put(~0u);
        put(0);
        bytes_.insert(bytes_.end(), read.name.begin(), read.name.end());
        bytes_.push_back(0);
        put(l_seq << 4);  // CIGAR: <l_seq>M
        for (size_t i = 0; i < l_seq; i += 2) {
            const int low = i + 1 < l_seq ? code(read.bases[i + 1]) : 0;
            bytes_.push_back(static_cast<uint8_t>(code(read.bases[i]) << 4 | low));
        }
        for (char q : read.qualities) bytes_.push_back(static_cast<uint8_t>(q - 33));
    }

   private:
    void put(uint32_t v) {
        for (int shift = 0; shift < 32; shift += 8) {
            bytes_.push_back(static_cast<uint8_t>(v >> shift));
        }
    }

    static int code(char base) {
        static const char* const kBases = "=ACMGRSVTWYHKDBN";
        const char* found = std::strchr(kBases, base);
        return found != nullptr && base != 0 ? static_cast<int>(found - kBases) : 15;
    }

    // The smallest bin of the BAI scheme that holds [begin, end).
    static uint32_t bin(int32_t begin, int32_t end) {
        --end;
        for (int shift = 14, offset = 4681; shift <= 26; shift += 3, offset = (offset - 1) / 8) {
            if (begin >> shift == end >> shift) {
                return static_cast<uint32_t>(offset + (begin >> shift));
            }
        }
        return 0;
    }

    std::vector<uint8_t> bytes_;
};

// Where an aligner would do its work.
int32_t align(const Read& read) {
    return static_cast<int32_t>(std::hash<std::string>()(read.bases) % 900000);
}

void align_batches(ReadSource& source, bgzfw::Producer producer) {
    Batch batch;
    RecordEncoder records;
    while (source.next(batch)) {
        records.clear();
        for (const Read& read : batch.reads) records.add(read, 0, align(read));
        producer.submit(records.bytes(), batch.number);
    }
    producer.finish();
}

void run(const char* fastq, const char* bam, int n_threads) {
    ReadSource source(fastq);
    const auto header = bgzfw::BamHeader::from_sam_text(
        "@HD\tVN:1.6\tSO:unsorted\n@SQ\tSN:chr1\tLN:1000000\n@PG\tID:aligner\tPN:aligner\n");
    bgzfw::Writer writer(bam, header, {.level = 1, .order = bgzfw::Order::kByBatch});

    std::mutex mutex;
    std::exception_ptr first;  // of the aligner or of the writer: whoever fails, all stop
    std::vector<std::thread> threads;
    for (int i = 0; i < n_threads; ++i) {
        threads.emplace_back([&] {
            try {
                align_batches(source, writer.producer());
            } catch (...) {
                const std::lock_guard lock(mutex);
                if (!first) first = std::current_exception();
            }
        });
    }
    for (auto& thread : threads) thread.join();
    if (first) std::rethrow_exception(first);
    writer.close();  // only now is the BAM complete
}

}  // namespace

int main(int argc, char** argv) {
    if (argc != 4) {
        std::cerr << "usage: aligner READS.fq OUT.bam THREADS\n";
        return 1;
    }
    try {
        run(argv[1], argv[2], std::max(1, std::atoi(argv[3])));
        return 0;
    } catch (const std::exception& e) {
        std::cerr << "aligner: " << e.what() << "\n";
        return 1;
    }
}
