// output.hpp: data output, SAM/BAM/CRAM and text, with every write and close checked.
//
// Written under the final name, as samtools does, so that pipes and devices work. What is
// not closed successfully is removed, if it is a regular file that was opened here.
#pragma once

#include <htslib/sam.h>
#include <htslib/thread_pool.h>
#include <sys/types.h>

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "options.hpp"

struct hFILE;

namespace qbix::cli {

// Additional threads that input and output share; none is fine. Outlives the files.
class ThreadPool {
   public:
    explicit ThreadPool(int n_threads);
    ~ThreadPool();
    ThreadPool(const ThreadPool&) = delete;
    ThreadPool& operator=(const ThreadPool&) = delete;

    // Throws std::runtime_error.
    void attach(htsFile* file);

   private:
    htsThreadPool pool_{};
};

// What -o, -O, -b, -C, -u, -1 and --output-fmt-option ask for.
class OutputSpec {
   public:
    OutputSpec() = default;
    ~OutputSpec();
    OutputSpec(const OutputSpec&) = delete;
    OutputSpec& operator=(const OutputSpec&) = delete;

    std::string path = "-";
    char forced_format = 0;  // 'b' or 'c' of an hts_open() mode; 0 = by suffix or -O
    int level = -1;          // of compression, which makes BAM the default; -1 = not given
    htsFormat format{};      // of -O

    // Adds the options above to a command.
    void add_to(Options& options);
    // Throws UsageError. Takes "S" and "B" for SAM and BAM, too, and ignores case.
    void set_format(const std::string& text);

    // What hts_open_format() takes.
    std::string mode() const;
    htsFormat open_format() const;  // its options stay owned by this object
};

// A regular file that this process opened for writing, to be removed if it stays half-written.
class CreatedFile {
   public:
    explicit CreatedFile(std::string path);  // after opening it
    void remove() const noexcept;  // does nothing for pipes, devices, and files replaced since

   private:
    std::string path_;
    dev_t device_ = 0;
    ino_t inode_ = 0;
    bool is_regular_ = false;
};

class SamOutput {
   public:
    // Throws std::runtime_error, like all members.
    SamOutput(const OutputSpec& spec, ThreadPool& pool);
    ~SamOutput();  // what was not closed is abandoned: no error, no file
    SamOutput(const SamOutput&) = delete;
    SamOutput& operator=(const SamOutput&) = delete;

    bool always_has_header() const noexcept;  // false for SAM, which has one on request

    void write_header(const sam_hdr_t* header);
    void write(const sam_hdr_t* header, const bam1_t* record);

    // Whether write_text() or write_encoded() may take the place of write().
    bool is_plain_text() const noexcept;
    bool is_bam() const noexcept;
    // Before anything is written: the records will come by write_text().
    void expect_text() noexcept { pool_ = nullptr; }
    void write_text(std::span<const uint8_t> lines);
    // Whole records with their block_size, laid out in blocks as htslib does it.
    void write_encoded(std::span<const uint8_t> records);

    // After the header and before the records: makes an index of regions on the way, CSI, CRAI,
    // or what the path names behind "##idx##".
    void begin_index(sam_hdr_t* header);

    void close();

   private:
    void start();
    int write_error() const noexcept;

    struct Close {
        void operator()(htsFile* file) const noexcept { hts_close(file); }
    };

    std::string path_;
    std::unique_ptr<htsFile, Close> file_;
    CreatedFile created_;
    ThreadPool* pool_;  // nullptr once it is attached
    std::string index_path_;
    bool has_index_ = false;
    bool always_has_header_ = false;
};

// Lines of text: counts, statistics, names.
class TextOutput {
   public:
    explicit TextOutput(const std::string& path);  // "-" is standard output
    ~TextOutput();
    TextOutput(const TextOutput&) = delete;
    TextOutput& operator=(const TextOutput&) = delete;

    void write(std::string_view text);
    void close();

   private:
    std::string path_;
    hFILE* file_;
    CreatedFile created_;
};

// Throws UsageError when writing `output` would destroy `input`.
void refuse_same_file(const std::string& output, const std::string& input);

}  // namespace qbix::cli
