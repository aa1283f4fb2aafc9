// output.hpp: data output, SAM/BAM/CRAM and text, with every write and close checked.
//
// Written under the final name, as samtools does, so that pipes and devices work. What is
// not closed successfully is removed, if it is a regular file that was opened here.
#pragma once

#include <htslib/sam.h>
#include <htslib/thread_pool.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "bam_output.hpp"
#include "created_file.hpp"
#include "format_options.hpp"
#include "options.hpp"
#include "output_header.hpp"

struct hFILE;

namespace qbix::cli {

// Additional threads that htslib's inputs and outputs share; none is fine. They start with the
// first file. Outlives the files.
class ThreadPool {
   public:
    explicit ThreadPool(int n_threads) : n_threads_(n_threads) {}
    ~ThreadPool();
    ThreadPool(const ThreadPool&) = delete;
    ThreadPool& operator=(const ThreadPool&) = delete;

    // Throws std::runtime_error.
    void attach(htsFile* file);
    int n_threads() const noexcept { return n_threads_; }

   private:
    int n_threads_;
    htsThreadPool pool_{};
};

// What -o, -O, -b, -C, -u, -1 and --output-fmt-option ask for.
class OutputSpec {
   public:
    std::string path = "-";
    char forced_format = 0;  // 'b' or 'c' of an hts_open() mode; 0 = by suffix or -O
    int level = -1;          // of compression, which makes BAM the default; -1 = not given
    FileFormat format;       // of -O

    // Adds the options above to a command.
    void add_to(Options& options);
    // Throws UsageError. Takes "S" and "B" for SAM and BAM, too, and ignores case.
    void set_format(const std::string& text);

    // What hts_open_format() takes.
    std::string mode() const;
    htsFormat open_format() const;  // its options stay owned by this object

    // BAM that is written here, not by a plugin of htslib for a URL.
    bool is_bam() const;
    int bam_level() const;  // -1 = not given
    // The path without "##idx##" and what follows; what follows, or a path beside the data.
    std::string data_path() const;
    std::string index_path() const;
};

// SAM and CRAM by htslib, BAM by libbgzf_writer.
class SamOutput {
   public:
    // Throws std::runtime_error, like all members. `with_index`: an index of regions is made on
    // the way, CSI, CRAI, or what the path names behind "##idx##".
    SamOutput(const OutputSpec& spec, ThreadPool& pool, bool with_index = false);
    ~SamOutput();  // what was not closed is abandoned: no error, no file
    SamOutput(const SamOutput&) = delete;
    SamOutput& operator=(const SamOutput&) = delete;

    // false for SAM, which has one on request
    bool always_has_header() const noexcept { return always_has_header_; }

    // First of all, or not at all where not always_has_header().
    void write_header(const sam_hdr_t* header);
    void write(const sam_hdr_t* header, const bam1_t* record);

    // Whether write_text() or write_encoded() may take the place of write().
    bool is_plain_text() const noexcept;
    bool is_bam() const noexcept { return !file_; }
    // Before anything is written: the records will come by write_text().
    void expect_text() noexcept { pool_ = nullptr; }
    void write_text(std::span<const uint8_t> lines);
    // Whole records with their block_size.
    void write_encoded(std::span<const uint8_t> records) { bam_->write_encoded(records); }

    void close();

   private:
    void start();
    int write_error() const noexcept;
    void begin_index(const sam_hdr_t* header);

    struct Close {
        void operator()(htsFile* file) const noexcept { hts_close(file); }
    };

    std::string path_;
    std::string index_path_;  // empty: no index
    bool always_has_header_ = false;

    BamOutputSpec bam_spec_;  // of BAM
    std::optional<BamOutput> bam_;

    Header own_header_;                     // of an index
    std::unique_ptr<htsFile, Close> file_;  // of SAM and CRAM; the header outlives it
    std::optional<CreatedFile> created_;
    ThreadPool* pool_;  // nullptr once it is attached
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
