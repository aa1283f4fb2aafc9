/* bgzfw/bam1_encode.h: htslib's bam1_t and sam_hdr_t as the bytes of BAM. C and C++; compiled
 * into the caller, so that it fits the caller's htslib, whichever version that is.
 * For little-endian hosts. */
#ifndef BGZFW_BAM1_ENCODE_H
#define BGZFW_BAM1_ENCODE_H

#include <htslib/sam.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* More CIGAR operations than the 16-bit field counts: they go to a CG tag, and
 * "<l_seq>S<reference length>N" takes their place (SAM specification, 4.2.2). */
static inline int bgzfw_bam1_has_long_cigar(const bam1_t* b) { return b->core.n_cigar > 0xffff; }

/* Encoded size in bytes, block_size field included; 0 when BAM cannot hold the record (a name
 * over 254 bytes, a coordinate over 31 bits, or a long CIGAR that spans 2^28 bases). */
static inline size_t bgzfw_bam1_size(const bam1_t* b) {
    const bam1_core_t* c = &b->core;
    const int64_t most = INT32_MAX, least = INT32_MIN;
    if (c->l_qname - c->l_extranul > 255) return 0;
    if (c->pos > most || c->mpos > most || c->isize > most || c->isize < least) return 0;
    if (bgzfw_bam1_has_long_cigar(b) &&
        bam_cigar2rlen((int)c->n_cigar, bam_get_cigar(b)) >= (1 << 28)) {
        return 0;
    }
    return 36 + (size_t)b->l_data - c->l_extranul + (bgzfw_bam1_has_long_cigar(b) ? 16 : 0);
}

static inline uint8_t* bgzfw_put_bytes(uint8_t* out, const void* bytes, size_t n) {
    memcpy(out, bytes, n);
    return out + n;
}

static inline uint8_t* bgzfw_put_u32(uint8_t* out, uint32_t v) {
    return bgzfw_put_bytes(out, &v, 4);
}

static inline uint8_t* bgzfw_put_long_cigar(uint8_t* out, const bam1_t* b) {
    const uint8_t* cigar = b->data + b->core.l_qname;
    const size_t cigar_bytes = (size_t)b->core.n_cigar * 4;
    const uint8_t* rest = cigar + cigar_bytes;
    const hts_pos_t span = bam_cigar2rlen((int)b->core.n_cigar, bam_get_cigar(b));
    out = bgzfw_put_u32(out, (uint32_t)b->core.l_qseq << 4 | BAM_CSOFT_CLIP);
    out = bgzfw_put_u32(out, (uint32_t)span << 4 | BAM_CREF_SKIP);
    out = bgzfw_put_bytes(out, rest, (size_t)(b->data + b->l_data - rest));
    out = bgzfw_put_bytes(out, "CGBI", 4);
    out = bgzfw_put_u32(out, b->core.n_cigar);
    return bgzfw_put_bytes(out, cigar, cigar_bytes);
}

/* Writes the record to `out`. REQUIRES: `size` is bgzfw_bam1_size(b), not 0, and there is
 * that much room. */
static inline void bgzfw_bam1_encode(const bam1_t* b, uint8_t* out, size_t size) {
    const bam1_core_t* c = &b->core;
    const uint32_t l_read_name = (uint32_t)(c->l_qname - c->l_extranul);
    const uint32_t n_cigar_op = bgzfw_bam1_has_long_cigar(b) ? 2 : c->n_cigar;
    out = bgzfw_put_u32(out, (uint32_t)(size - 4));
    out = bgzfw_put_u32(out, (uint32_t)c->tid);
    out = bgzfw_put_u32(out, (uint32_t)c->pos);
    out = bgzfw_put_u32(out, (uint32_t)c->bin << 16 | (uint32_t)c->qual << 8 | l_read_name);
    out = bgzfw_put_u32(out, (uint32_t)c->flag << 16 | n_cigar_op);
    out = bgzfw_put_u32(out, (uint32_t)c->l_qseq);
    out = bgzfw_put_u32(out, (uint32_t)c->mtid);
    out = bgzfw_put_u32(out, (uint32_t)c->mpos);
    out = bgzfw_put_u32(out, (uint32_t)c->isize);
    out = bgzfw_put_bytes(out, b->data, l_read_name);
    if (bgzfw_bam1_has_long_cigar(b)) {
        bgzfw_put_long_cigar(out, b);
    } else {
        bgzfw_put_bytes(out, b->data + c->l_qname, (size_t)b->l_data - c->l_qname);
    }
}

/* Writes the binary entry of reference `i` to `out`, unless that is NULL; returns its size. */
static inline size_t bgzfw_put_reference(uint8_t* out, const sam_hdr_t* header, int i) {
    const size_t name_bytes = strlen(header->target_name[i]) + 1;
    if (out != NULL) {
        out = bgzfw_put_u32(out, (uint32_t)name_bytes);
        out = bgzfw_put_bytes(out, header->target_name[i], name_bytes);
        bgzfw_put_u32(out, header->target_len[i]);
    }
    return name_bytes + 8;
}

/* The BAM header as sam_hdr_write() would write it, uncompressed; free() it. NULL when htslib
 * cannot render the text, or there is no memory. `header` is not const because htslib may
 * render its text into it. */
static inline uint8_t* bgzfw_render_header(sam_hdr_t* header, size_t* size) {
    const char* text = sam_hdr_str(header);
    /* A header that sam_hdr_init() made and nobody filled has no text, not an empty one. */
    const size_t l_text = text == NULL && header->hrecs == NULL ? 0 : sam_hdr_length(header);
    uint8_t *bytes, *out;
    int i;
    if ((text == NULL && l_text > 0) || l_text > INT32_MAX) return NULL;
    *size = 12 + l_text;
    for (i = 0; i < header->n_targets; ++i) *size += bgzfw_put_reference(NULL, header, i);
    bytes = out = (uint8_t*)malloc(*size);
    if (bytes == NULL) return NULL;
    out = bgzfw_put_bytes(out, "BAM\1", 4);
    out = bgzfw_put_u32(out, (uint32_t)l_text);
    if (text != NULL) out = bgzfw_put_bytes(out, text, l_text);
    out = bgzfw_put_u32(out, (uint32_t)header->n_targets);
    for (i = 0; i < header->n_targets; ++i) out += bgzfw_put_reference(out, header, i);
    return bytes;
}

#endif
