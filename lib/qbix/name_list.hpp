// qbix/name_list.hpp: lists of read names as people have them, and the set that they make.
//
// A list is a file, a URL, or "-" (standard input); plain or gzip; a UTF-8 byte-order mark
// is skipped. One name a line: blanks and tabs before it and everything from the first
// blank or tab after it are dropped, so a line of a FASTQ header or of a table works; CR
// at the end and empty lines do not count. '#' is not a comment: names may begin with it.
// Names are bytes, never patterns, and nothing else is stripped unless asked for.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "qbix/export.hpp"

namespace qbix {

// The longest QNAME that a BAM record may have (l_read_name is one byte and counts a NUL): what
// lists can ask for. A record whose name lacks the NUL, against the specification, can have 255.
inline constexpr size_t kMaxNameBytes = 254;
inline constexpr size_t kMaxNameBytesWithoutNul = 255;

struct NameListFormat {
    bool exact_lines = false;  // the whole line is the name: cut at CR, LF and TAB only
    bool fastq_names = false;  // drop a leading '@' and a trailing "/1" or "/2"
};

// The name as --fastq-names would clean it: without a leading '@' and a trailing /1, /2.
QBIX_EXPORT std::string_view clean_fastq_name(std::string_view name) noexcept;

// Reads the names of one list in order. Holds one buffer, never a whole line longer than
// a name. One reader, one thread.
class QBIX_EXPORT NameReader {
   public:
    // Throws Error: kOpen, kIo.
    explicit NameReader(const std::string& path, NameListFormat format = {});
    ~NameReader();
    NameReader(const NameReader&) = delete;
    NameReader& operator=(const NameReader&) = delete;

    // The next name; false at the end. The view is valid until the next call. Names over
    // kMaxNameBytes are counted and left out. Throws Error kIo, also on damaged gzip.
    bool next(std::string_view& name);

    // Names longer than kMaxNameBytes so far, and the line of the first (from 1).
    uint64_t n_too_long() const noexcept;
    uint64_t first_too_long_line() const noexcept;

   private:
    struct State;
    std::unique_ptr<State> state_;
};

// Distinct names in the order of their first occurrence: an arena of bytes and an
// open-addressing table, 20 to 31 bytes a name beyond its own. Filled by one thread; then
// safe for many readers.
class QBIX_EXPORT NameList {
   public:
    NameList();
    ~NameList();
    NameList(NameList&&) noexcept;
    NameList& operator=(NameList&&) noexcept;

    // Returns the number of `name`, which is new or was there before. Throws Error kUsage
    // for a name over kMaxNameBytesWithoutNul and for more than 4,294,967,294 names.
    uint32_t add(std::string_view name);

    size_t size() const noexcept;
    bool empty() const noexcept { return size() == 0; }
    // REQUIRES: number < size(). The view is valid until the next add().
    std::string_view name(uint32_t number) const noexcept;
    std::optional<uint32_t> find(std::string_view name) const noexcept;

   private:
    struct State;
    std::unique_ptr<State> state_;
};

}  // namespace qbix
