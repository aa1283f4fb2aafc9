#include "sam_line.hpp"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <cstring>

#include "little_endian.hpp"

namespace bgzfw {

// Fields of a line, one after the other.
class Fields {
   public:
    explicit Fields(std::string_view line) : next_(line.data()), end_(next_ + line.size()) {}

    // False when no field is left.
    bool take(std::string_view& field) {
        if (is_done_) return false;
        const auto* tab =
            static_cast<const char*>(std::memchr(next_, '\t', static_cast<size_t>(end_ - next_)));
        is_done_ = tab == nullptr;
        const char* field_end = is_done_ ? end_ : tab;
        field = {next_, static_cast<size_t>(field_end - next_)};
        next_ = is_done_ ? end_ : tab + 1;
        return true;
    }

   private:
    const char* next_;
    const char* end_;
    bool is_done_ = false;
};

// The eleven mandatory fields, as far as they are plain.
struct SamLine {
    std::string_view name, reference, cigar, mate_reference, bases, qualities;
    uint32_t flag, position, mapq, mate_position;
    int32_t template_length;

    bool parse(Fields& fields);
};

namespace {

constexpr int64_t kEndOfBins = int64_t{1} << 29;
constexpr size_t kFixedBytes = 36;  // block_size field and what precedes read_name
constexpr uint32_t kUnmapped = 4;   // FLAG bit
constexpr uint64_t kEachByte = 0x0101010101010101U;

// 4-bit codes of bases, as htslib has them: what is no base is an N.
constexpr std::array<uint8_t, 256> make_base_codes() {
    std::array<uint8_t, 256> codes{};
    for (auto& code : codes) code = 15;
    constexpr std::string_view kBases = "=ACMGRSVTWYHKDBN";
    for (size_t i = 0; i < kBases.size(); ++i) {
        codes[static_cast<uint8_t>(kBases[i])] = static_cast<uint8_t>(i);
        if (i > 0) codes[static_cast<uint8_t>(kBases[i]) + 32u] = static_cast<uint8_t>(i);
    }
    for (uint8_t i = 0; i < 4; ++i)
        codes[static_cast<size_t>('0') + i] = static_cast<uint8_t>(1 << i);
    return codes;
}
constexpr auto kBaseCodes = make_base_codes();

// Operation number, and bits 4 and 5: consumes bases of the read, of the reference. 255: none.
constexpr uint8_t kTakesRead = 16, kTakesReference = 32, kNoOperation = 255;
constexpr std::array<uint8_t, 256> make_operations() {
    std::array<uint8_t, 256> operations{};
    for (auto& operation : operations) operation = kNoOperation;
    constexpr std::string_view kLetters = "MIDNSHP=X";
    constexpr uint8_t kTakes[] = {48, 16, 32, 32, 16, 0, 0, 48, 48};
    for (uint8_t i = 0; i < kLetters.size(); ++i) {
        operations[static_cast<uint8_t>(kLetters[i])] = static_cast<uint8_t>(i | kTakes[i]);
    }
    return operations;
}
constexpr auto kOperations = make_operations();

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }

// Digits alone, at most nine of them, so that nothing overflows.
bool parse_number(std::string_view text, uint32_t& value) {
    if (text.empty() || text.size() > 9) return false;
    value = 0;
    for (char c : text) {
        if (!is_digit(c)) return false;
        value = 10 * value + static_cast<uint32_t>(c - '0');
    }
    return true;
}

bool parse_signed(std::string_view text, int32_t& value) {
    const bool is_negative = text.starts_with('-');
    uint32_t magnitude;
    if (!parse_number(text.substr(is_negative), magnitude)) return false;
    value = is_negative ? -static_cast<int32_t>(magnitude) : static_cast<int32_t>(magnitude);
    return true;
}

// The smallest bin of the BAI scheme that holds [begin, end).
uint32_t bin_of(int64_t begin, int64_t end) {
    --end;
    for (int shift = 14, first = 4681; shift <= 26; shift += 3, first = (first - 1) / 8) {
        if (begin >> shift == end >> shift) return static_cast<uint32_t>(first + (begin >> shift));
    }
    return 0;
}

struct Cigar {
    uint32_t n_operations = 0;
    uint64_t read_bases = 0;
    uint64_t reference_bases = 0;
};

// Writes the operations to `out` and moves it. False for what is unusual.
bool encode_cigar(std::string_view text, uint8_t*& out, Cigar& cigar) {
    if (text == "*") return true;
    uint32_t length = 0;
    size_t n_digits = 0;
    for (char c : text) {
        if (is_digit(c)) {
            length = 10 * length + static_cast<uint32_t>(c - '0');
            if (++n_digits > 8) return false;
            continue;
        }
        const uint8_t operation = kOperations[static_cast<uint8_t>(c)];
        if (operation == kNoOperation || length == 0 || ++cigar.n_operations > 0xffff) return false;
        store_u32(out, length << 4 | (operation & 15u));
        out += 4;
        if (operation & kTakesRead) cigar.read_bases += length;
        if (operation & kTakesReference) cigar.reference_bases += length;
        length = 0;
        n_digits = 0;
    }
    return n_digits == 0 && cigar.n_operations > 0;
}

void encode_bases(std::string_view bases, uint8_t* out) {
    const auto* p = reinterpret_cast<const uint8_t*>(bases.data());
    const size_t n_pairs = bases.size() / 2;
    for (size_t i = 0; i < n_pairs; ++i) {
        out[i] = static_cast<uint8_t>(kBaseCodes[p[2 * i]] << 4 | kBaseCodes[p[2 * i + 1]]);
    }
    if (bases.size() % 2) out[n_pairs] = static_cast<uint8_t>(kBaseCodes[p[2 * n_pairs]] << 4);
}

// False when there is a byte outside of '!' to '~'.
bool encode_qualities(std::string_view text, uint8_t* out) {
    const auto* p = reinterpret_cast<const uint8_t*>(text.data());
    uint64_t wrong = 0;
    size_t i = 0;
    // Eight at a time: no byte of a sum carries into the next one, unless it is wrong anyway.
    for (; i + 8 <= text.size(); i += 8) {
        uint64_t word;
        std::memcpy(&word, p + i, 8);
        wrong |= word | (word + kEachByte) | ~(word + kEachByte * (0x80 - '!'));
        word -= kEachByte * '!';
        std::memcpy(out + i, &word, 8);
    }
    for (; i < text.size(); ++i) {
        wrong |= p[i] < '!' || p[i] > '~' ? kEachByte << 7 : 0;
        out[i] = static_cast<uint8_t>(p[i] - '!');
    }
    return (wrong & kEachByte << 7) == 0;
}

uint8_t* put(uint8_t* out, char type, const void* value, size_t n_bytes) {
    *out++ = static_cast<uint8_t>(type);
    std::memcpy(out, value, n_bytes);
    return out + n_bytes;
}

// In the narrowest type.
bool encode_integer(std::string_view text, uint8_t*& out) {
    int32_t value;
    if (!parse_signed(text, value)) return false;
    uint8_t bytes[4];
    store_u32(bytes, static_cast<uint32_t>(value));
    if (text[0] == '-') {
        out = value >= INT8_MIN    ? put(out, 'c', bytes, 1)
              : value >= INT16_MIN ? put(out, 's', bytes, 2)
                                   : put(out, 'i', bytes, 4);
    } else {
        out = value <= UINT8_MAX    ? put(out, 'C', bytes, 1)
              : value <= UINT16_MAX ? put(out, 'S', bytes, 2)
                                    : put(out, 'I', bytes, 4);
    }
    return true;
}

bool encode_float(std::string_view text, uint8_t*& out) {
    char digits[24];
    if (text.empty() || text.size() >= sizeof digits) return false;
    if (text.find_first_not_of("0123456789.+-e") != std::string_view::npos) return false;
    *std::copy(text.begin(), text.end(), digits) = '\0';
    char* end;
    const auto value = static_cast<float>(std::strtod(digits, &end));
    if (end != digits + text.size()) return false;
    out = put(out, 'f', &value, sizeof value);
    return true;
}

bool is_printable(std::string_view text) {
    return std::all_of(text.begin(), text.end(), [](char c) { return c >= ' ' && c <= '~'; });
}

// One "XY:t:value".
bool encode_tag(std::string_view field, uint8_t*& out) {
    if (field.size() < 5 || field[2] != ':' || field[4] != ':') return false;
    if (!is_letter(field[0]) || !(is_letter(field[1]) || is_digit(field[1]))) return false;
    if (field.starts_with("CG")) return false;  // may stand for the CIGAR
    *out++ = static_cast<uint8_t>(field[0]);
    *out++ = static_cast<uint8_t>(field[1]);
    const std::string_view value = field.substr(5);
    switch (field[3]) {
        case 'i':
            return encode_integer(value, out);
        case 'Z':
            if (!is_printable(value)) return false;
            out = put(out, 'Z', value.data(), value.size());
            *out++ = 0;
            return true;
        case 'A':
            if (value.size() != 1 || !is_printable(value) || value[0] == ' ') return false;
            out = put(out, 'A', value.data(), 1);
            return true;
        case 'f':
            return encode_float(value, out);
        default:
            return false;
    }
}

// SEQ and QUAL, of `l_seq` bases.
bool encode_sequence(const SamLine& line, size_t l_seq, uint8_t*& out) {
    if (line.bases.empty() || line.qualities.empty()) return false;
    if (l_seq > 0) encode_bases(line.bases, out);
    out += (l_seq + 1) / 2;
    if (line.qualities == "*") {
        std::memset(out, 0xff, l_seq);
    } else if (line.qualities.size() != l_seq || !encode_qualities(line.qualities, out)) {
        return false;
    }
    out += l_seq;
    return true;
}

}  // namespace

bool SamLine::parse(Fields& fields) {
    std::string_view f, p, q, m, t;
    return fields.take(name) && fields.take(f) && fields.take(reference) && fields.take(p) &&
           fields.take(q) && fields.take(cigar) && fields.take(mate_reference) && fields.take(m) &&
           fields.take(t) && fields.take(bases) && fields.take(qualities) && !name.empty() &&
           name.size() < 255 && parse_number(f, flag) && flag <= 0xffff &&
           (f[0] != '0' || f.size() == 1) && parse_number(p, position) && position < kEndOfBins &&
           parse_number(q, mapq) && mapq <= 255 && parse_number(m, mate_position) &&
           parse_signed(t, template_length);
}

ReferenceNumbers::ReferenceNumbers(const BamHeader& header) {
    const uint8_t* p = header.bytes().data() + 8 + header.text().size() + 4;
    names_.assign(reinterpret_cast<const char*>(p),
                  header.bytes().size() - 8 - header.text().size() - 4);
    size_t at = 0;
    for (uint32_t i = 0; i < header.n_references(); ++i) {
        const uint32_t name_bytes = load_u32(p + at);
        numbers_.emplace(names_.data() + at + 4, static_cast<int32_t>(i));
        at += 8 + name_bytes;
    }
}

int32_t SamLineEncoder::reference(std::string_view name) {
    if (last_number_ >= 0 && name == last_name_) return last_number_;
    last_number_ = references_.find(name);
    last_name_ = name;
    return last_number_;
}

// False where htslib would warn and change something: it is left to do so.
bool SamLineEncoder::find_places(const SamLine& line, Places& places) {
    const bool is_unmapped = (line.flag & kUnmapped) != 0;
    if (line.cigar == "*" && !is_unmapped) return false;
    if (line.reference == "*") {
        if (!is_unmapped) return false;
    } else {
        places.reference = reference(line.reference);
        if (places.reference < 0 || line.position == 0) return false;
    }
    if (line.mate_reference == "=") {
        places.mate_reference = places.reference;
    } else if (line.mate_reference != "*") {
        places.mate_reference = reference(line.mate_reference);
        if (places.mate_reference < 0) return false;
    }
    return places.mate_reference < 0 || line.mate_position > 0;
}

size_t SamLineEncoder::encode(std::string_view text, uint8_t* out) {
    if (std::memchr(text.data(), 0, text.size()) != nullptr) return 0;
    Fields fields(text);
    SamLine line;
    Places places;
    if (!line.parse(fields) || !find_places(line, places)) return 0;

    uint8_t* end = std::copy(line.name.begin(), line.name.end(), out + kFixedBytes);
    *end++ = 0;
    Cigar cigar;
    if (!encode_cigar(line.cigar, end, cigar)) return 0;
    const size_t l_seq = line.bases == "*" ? 0 : line.bases.size();
    if (l_seq > 0 && cigar.n_operations > 0 && cigar.read_bases != l_seq) return 0;
    if (!encode_sequence(line, l_seq, end)) return 0;
    for (std::string_view tag; fields.take(tag);) {
        if (!encode_tag(tag, end)) return 0;
    }
    const int64_t begin = int64_t{line.position} - 1;
    const bool is_unmapped = (line.flag & kUnmapped) != 0;
    const int64_t length =
        is_unmapped ? 1 : static_cast<int64_t>(std::max<uint64_t>(cigar.reference_bases, 1));
    if (begin + length > kEndOfBins) return 0;

    const uint32_t bin = bin_of(begin, begin + length) & 0xffff;
    const auto size = static_cast<size_t>(end - out);
    store_u32(out, static_cast<uint32_t>(size - 4));
    store_u32(out + 4, static_cast<uint32_t>(places.reference));
    store_u32(out + 8, static_cast<uint32_t>(begin));
    store_u32(out + 12, bin << 16 | line.mapq << 8 | static_cast<uint32_t>(line.name.size() + 1));
    store_u32(out + 16, line.flag << 16 | cigar.n_operations);
    store_u32(out + 20, static_cast<uint32_t>(l_seq));
    store_u32(out + 24, static_cast<uint32_t>(places.mate_reference));
    store_u32(out + 28, line.mate_position - 1);
    store_u32(out + 32, static_cast<uint32_t>(line.template_length));
    return size;
}

}  // namespace bgzfw
