// From the bytes of a record to htslib's bam1_t, as htslib itself reads it.

#include <htslib/sam.h>

#include <cstdlib>
#include <cstring>
#include <new>

#include "bam_record.hpp"
#include "qbix/error.hpp"
#include "qbix/record_reader.hpp"

namespace qbix {
namespace {

[[noreturn]] void refuse(const RecordView& record, const char* what) {
    throw Error(ErrorCode::kDamaged, "the record at virtual offset " +
                                         std::to_string(record.voffset.value) +
                                         " is damaged: " + what);
}

void reserve(bam1_t* b, size_t n_bytes) {
    if (n_bytes <= b->m_data) return;
    auto* data = static_cast<uint8_t*>(std::realloc(b->data, n_bytes));
    if (!data) throw std::bad_alloc();
    b->data = data;
    b->m_data = static_cast<uint32_t>(n_bytes);
}

void decode_core(const uint8_t* p, bam1_core_t& core) {
    core.tid = load_le<int32_t>(p + 4);
    core.pos = load_le<int32_t>(p + 8);
    core.qual = p[13];
    core.bin = load_le<uint16_t>(p + 14);
    core.n_cigar = load_le<uint16_t>(p + 16);
    core.flag = load_le<uint16_t>(p + 18);
    core.l_qseq = load_le<int32_t>(p + 20);
    core.mtid = load_le<int32_t>(p + 24);
    core.mpos = load_le<int32_t>(p + 28);
    core.isize = load_le<int32_t>(p + 32);
}

// The name gets a NUL where it has none, and NULs that align the CIGAR.
void decode_data(const RecordView& record, bam1_t* b) {
    const uint8_t* name = record_read_name(record.bytes.data());
    const size_t l_read_name = record_l_read_name(record.bytes.data());
    const auto rest = record.bytes.subspan(kFixedBytes + l_read_name);
    const size_t n_terminated = l_read_name + (name[l_read_name - 1] != 0);
    const size_t n_aligned = (n_terminated + 3) / 4 * 4;
    reserve(b, n_aligned + rest.size());
    std::memcpy(b->data, name, l_read_name);
    std::memset(b->data + l_read_name, 0, n_aligned - l_read_name);
    std::memcpy(b->data + n_aligned, rest.data(), rest.size());
    b->core.l_qname = static_cast<uint16_t>(n_aligned);
    b->core.l_extranul = static_cast<uint8_t>(n_aligned - n_terminated);
    b->l_data = static_cast<int>(n_aligned + rest.size());
}

// A CIGAR of more than 65535 operations is stored in the tag CG, with "<l_seq>S<n>N" in its
// place (SAM specification, 4.2.2): puts it back and drops the tag.
void restore_long_cigar(bam1_t* b) {
    bam1_core_t& core = b->core;
    if (core.n_cigar == 0 || core.tid < 0 || core.pos < 0) return;
    const uint32_t first = load_le<uint32_t>(b->data + core.l_qname);
    if (bam_cigar_op(first) != BAM_CSOFT_CLIP ||
        bam_cigar_oplen(first) != static_cast<uint32_t>(core.l_qseq))
        return;
    const uint8_t* tag = bam_aux_get(b, "CG");
    if (!tag || tag[0] != 'B' || (tag[1] != 'I' && tag[1] != 'i')) return;
    const uint32_t n_ops = load_le<uint32_t>(tag + 2);
    if (n_ops < core.n_cigar || n_ops >= 1U << 29) return;

    const size_t n_fake = core.n_cigar * size_t{4}, n_real = n_ops * size_t{4};
    const size_t cigar_at = core.l_qname, middle_at = cigar_at + n_fake;
    const size_t tag_at = static_cast<size_t>(tag - 2 - b->data), n_tag = 8 + n_real;
    const size_t old_size = static_cast<size_t>(b->l_data);
    const size_t new_size = old_size - n_fake - 8;
    auto* data = static_cast<uint8_t*>(std::malloc(new_size));
    if (!data) throw std::bad_alloc();
    uint8_t* p = data;
    const auto append = [&](size_t begin, size_t end) {
        std::memcpy(p, b->data + begin, end - begin);
        p += end - begin;
    };
    append(0, cigar_at);
    append(tag_at + 8, tag_at + n_tag);
    append(middle_at, tag_at);
    append(tag_at + n_tag, old_size);
    std::free(b->data);
    b->data = data;
    b->m_data = static_cast<uint32_t>(new_size);
    b->l_data = static_cast<int>(new_size);
    core.n_cigar = n_ops;
}

// As htslib: the bin follows from the CIGAR, whose query length must be that of the sequence.
void check_cigar(const RecordView& record, bam1_t* b) {
    bam1_core_t& core = b->core;
    if (core.n_cigar == 0) return;
    const auto n_ops = static_cast<int>(core.n_cigar);
    const hts_pos_t query_length = bam_cigar2qlen(n_ops, bam_get_cigar(b));
    hts_pos_t reference_length = bam_cigar2rlen(n_ops, bam_get_cigar(b));
    if (core.flag & BAM_FUNMAP || reference_length == 0) reference_length = 1;
    core.bin = static_cast<uint16_t>(hts_reg2bin(core.pos, core.pos + reference_length, 14, 5));
    if (core.l_qseq > 0 && !(core.flag & BAM_FUNMAP) && query_length != core.l_qseq)
        refuse(record, "its CIGAR and its sequence differ in length");
}

}  // namespace

void decode_record(const RecordView& record, const sam_hdr_t* header, bam1_t* out) {
    decode_core(record.bytes.data(), out->core);
    const bam1_core_t& core = out->core;
    if (core.tid < -1 || core.tid >= header->n_targets || core.mtid < -1 ||
        core.mtid >= header->n_targets)
        refuse(record, "it names a reference that the header does not have");
    decode_data(record, out);
    restore_long_cigar(out);
    check_cigar(record, out);
}

}  // namespace qbix
