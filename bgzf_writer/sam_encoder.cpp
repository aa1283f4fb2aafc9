#include "sam_encoder.hpp"

#include <string>

#include "bgzfw/error.hpp"
#include "build_config.hpp"

#if BGZFW_WITH_HTSLIB

#include <htslib/kstring.h>

#include <algorithm>
#include <new>

#include "bgzfw/bam1.hpp"
#include "byte_buffer.hpp"
#include "little_endian.hpp"

namespace bgzfw {

namespace {

// @SQ lines for the binary list of a header whose text does not have them.
std::string reference_lines(const BamHeader& header) {
    const uint8_t* p = header.bytes().data() + 8 + header.text().size() + 4;
    std::string lines;
    for (uint32_t i = 0; i < header.n_references(); ++i) {
        const uint32_t name_bytes = load_u32(p);
        const auto* name = reinterpret_cast<const char*>(p + 4);
        p += 4 + name_bytes;
        lines += "@SQ\tSN:" + std::string(name) + "\tLN:" + std::to_string(load_u32(p)) + "\n";
        p += 4;
    }
    return lines;
}

sam_hdr_t* parse_header(std::string_view text) {
    text = text.substr(0, text.find('\0'));  // padding is allowed in BAM
    sam_hdr_t* header = text.empty() ? sam_hdr_init() : sam_hdr_parse(text.size(), text.data());
    if (header == nullptr) throw Error(ErrorCode::kHeader, "htslib cannot parse the header");
    sam_hdr_name2tid(header, "*");  // builds the name table now, not in many threads at once
    return header;
}

}  // namespace

SamHeader::SamHeader(const BamHeader& header)
    : references_(header), header_(parse_header(header.text())) {
    if (sam_hdr_nref(header_) == static_cast<int>(header.n_references())) return;
    sam_hdr_destroy(header_);
    header_ = parse_header(reference_lines(header));
}

SamHeader::~SamHeader() { sam_hdr_destroy(header_); }

struct SamEncoder::State {
    explicit State(const SamHeader& shared) : header(shared), quick(shared.references()) {
        if (record == nullptr) throw std::bad_alloc();
    }
    ~State() {
        bam_destroy1(record);
        ks_free(&line);
    }
    State(const State&) = delete;
    State& operator=(const State&) = delete;

    const SamHeader& header;
    SamLineEncoder quick;
    ByteBuffer quick_bytes;  // what it made; empty when htslib had to
    bam1_t* record = bam_init1();
    kstring_t line = KS_INITIALIZE;
    size_t size = 0;
};

SamEncoder::SamEncoder(const SamHeader& header) : state_(std::make_unique<State>(header)) {}
SamEncoder::~SamEncoder() = default;

size_t SamEncoder::parse(std::string_view line) {
    if (line.ends_with('\r')) line.remove_suffix(1);
    state_->quick_bytes.clear();
    state_->size =
        state_->quick.encode(line, state_->quick_bytes.make_room(most_encoded_bytes(line.size())));
    state_->quick_bytes.take(state_->size);
    if (state_->size == 0) state_->size = parse_by_htslib(line);
    return state_->size;
}

size_t SamEncoder::parse_by_htslib(std::string_view line) {
    // The parser cuts its input up.
    ks_clear(&state_->line);
    if (kputsn(line.data(), line.size(), &state_->line) < 0) throw std::bad_alloc();
    if (sam_parse1(&state_->line, state_->header.get(), state_->record) < 0) {
        throw Error(ErrorCode::kRecord,
                    "malformed SAM line \"" + std::string(line.substr(0, 60)) + "\"");
    }
    return encoded_size(*state_->record);
}

void SamEncoder::encode(uint8_t* out) const {
    const auto quick = state_->quick_bytes.bytes();
    if (quick.empty()) {
        bgzfw_bam1_encode(state_->record, out, state_->size);
    } else {
        std::copy(quick.begin(), quick.end(), out);
    }
}

}  // namespace bgzfw

#else

namespace bgzfw {

struct SamEncoder::State {};

SamHeader::SamHeader(const BamHeader& header) : references_(header) {
    throw Error(ErrorCode::kUnsupported,
                "SAM text needs a build of the writer with htslib; this one has none");
}
SamHeader::~SamHeader() = default;
SamEncoder::SamEncoder(const SamHeader&) {}
SamEncoder::~SamEncoder() = default;
size_t SamEncoder::parse(std::string_view) { return 0; }
size_t SamEncoder::parse_by_htslib(std::string_view) { return 0; }
void SamEncoder::encode(uint8_t*) const {}

}  // namespace bgzfw

#endif
