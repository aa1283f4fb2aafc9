#include "bgzfw/bam_header.hpp"

#include <algorithm>
#include <charconv>
#include <limits>
#include <string>

#include "bgzfw/error.hpp"
#include "little_endian.hpp"

namespace bgzfw {

namespace {

constexpr uint8_t kMagic[4] = {'B', 'A', 'M', 1};

[[noreturn]] void refuse(const std::string& what) {
    throw Error(ErrorCode::kHeader, "malformed header: " + what);
}

void append_u32(std::vector<uint8_t>& out, size_t value) {
    uint8_t bytes[4];
    store_u32(bytes, static_cast<uint32_t>(value));
    out.insert(out.end(), bytes, bytes + 4);
}

template <class Bytes>
void append(std::vector<uint8_t>& out, const Bytes& bytes) {
    out.insert(out.end(), std::begin(bytes), std::end(bytes));
}

// The piece of `text` before `separator`, which is cut off with it.
std::string_view cut(std::string_view& text, char separator) {
    const size_t n = std::min(text.find(separator), text.size());
    const std::string_view piece = text.substr(0, n);
    text.remove_prefix(std::min(n + 1, text.size()));
    return piece;
}

uint32_t reference_length(std::string_view digits, std::string_view line) {
    uint64_t length = 0;
    const auto [end, status] =
        std::from_chars(digits.data(), digits.data() + digits.size(), length);
    if (digits.empty() || status != std::errc() || end != digits.data() + digits.size()) {
        refuse("no valid LN in \"" + std::string(line) + "\"");
    }
    // The binary field of a reference longer than that is full; its text has the length.
    return static_cast<uint32_t>(std::min<uint64_t>(length, std::numeric_limits<uint32_t>::max()));
}

// Appends the binary entry of an @SQ line.
void append_reference(std::vector<uint8_t>& out, std::string_view line) {
    std::string_view name, length;
    for (std::string_view rest = line; !rest.empty();) {
        const std::string_view field = cut(rest, '\t');
        if (field.starts_with("SN:")) name = field.substr(3);
        if (field.starts_with("LN:")) length = field.substr(3);
    }
    if (name.empty()) refuse("no SN in \"" + std::string(line) + "\"");
    append_u32(out, name.size() + 1);
    append(out, name);
    out.push_back(0);
    append_u32(out, reference_length(length, line));
}

// A position in the bytes of a header, never moved past their end.
class Cursor {
   public:
    explicit Cursor(std::span<const uint8_t> bytes) : rest_(bytes) {}

    std::span<const uint8_t> take(size_t n, const char* what) {
        if (n > rest_.size()) refuse(std::string("it ends within ") + what);
        const auto piece = rest_.first(n);
        rest_ = rest_.subspan(n);
        return piece;
    }
    uint32_t take_u32(const char* what) { return load_u32(take(4, what).data()); }
    size_t n_left() const { return rest_.size(); }

   private:
    std::span<const uint8_t> rest_;
};

}  // namespace

BamHeader BamHeader::from_sam_text(std::string_view text) {
    if (text.size() > std::numeric_limits<int32_t>::max() - 1) refuse("longer than 2 GB");
    // A text padded with NULs stays as it is.
    const bool needs_newline = !text.empty() && text.back() != '\n' && text.back() != '\0';
    BamHeader header;
    header.bytes_.reserve(text.size() + 16);
    append(header.bytes_, kMagic);
    append_u32(header.bytes_, text.size() + needs_newline);
    append(header.bytes_, text);
    if (needs_newline) header.bytes_.push_back('\n');
    text = text.substr(0, text.find('\0'));  // padding is allowed in BAM
    std::vector<uint8_t> references;
    while (!text.empty()) {
        std::string_view line = cut(text, '\n');
        if (line.ends_with('\r')) line.remove_suffix(1);
        if (line.empty() || line[0] != '@') {
            refuse("the line \"" + std::string(line.substr(0, 60)) + "\" does not begin with @");
        }
        if (!line.starts_with("@SQ\t")) continue;
        append_reference(references, line);
        ++header.n_references_;
    }
    append_u32(header.bytes_, header.n_references_);
    append(header.bytes_, references);
    return header;
}

BamHeader BamHeader::from_bytes(std::span<const uint8_t> bytes) {
    Cursor cursor(bytes);
    if (!std::ranges::equal(cursor.take(4, "the magic"), kMagic)) refuse("no BAM magic");
    cursor.take(cursor.take_u32("the length of the text"), "the text");
    BamHeader header;
    header.n_references_ = cursor.take_u32("the number of references");
    for (uint32_t i = 0; i < header.n_references_; ++i) {
        const auto name = cursor.take(cursor.take_u32("a reference"), "a reference name");
        if (name.empty() || name.back() != 0) refuse("a reference name does not end in NUL");
        cursor.take_u32("a reference");
    }
    if (cursor.n_left() > 0) refuse("bytes are left behind the reference list");
    header.bytes_.assign(bytes.begin(), bytes.end());
    return header;
}

std::string_view BamHeader::text() const noexcept {
    const auto* text = reinterpret_cast<const char*>(bytes_.data() + 8);
    return {text, load_u32(bytes_.data() + 4)};
}

}  // namespace bgzfw
