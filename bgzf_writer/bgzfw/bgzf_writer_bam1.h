/* bgzfw/bgzf_writer_bam1.h: htslib's records for the C interface; compiled into the caller. */
#ifndef BGZFW_BGZF_WRITER_BAM1_H
#define BGZFW_BGZF_WRITER_BAM1_H

#include "bgzfw/bam1_encode.h"
#include "bgzfw/bgzf_writer.h"

/* bgzfw_open() with htslib's header. */
static inline int bgzfw_open_hts(bgzfw_writer** writer, const char* path, sam_hdr_t* header,
                                 const bgzfw_options* options) {
    size_t size = 0;
    uint8_t* bytes = bgzfw_render_header(header, &size);
    /* Without bytes this is the error of an empty header. */
    const int status = bgzfw_open_bam_header(writer, path, bytes, size, options);
    free(bytes);
    return status;
}

/* In the place of sam_write1(). A record that BAM cannot hold has size 0, with which
 * bgzfw_begin_record() makes the writer fail. */
static inline int bgzfw_write_bam1(bgzfw_writer* writer, const bam1_t* record) {
    const size_t size = bgzfw_bam1_size(record);
    uint8_t* out = bgzfw_begin_record(writer, size);
    if (out == NULL) return -1;
    bgzfw_bam1_encode(record, out, size);
    return bgzfw_end_record(writer);
}

static inline int bgzfw_producer_write_bam1(bgzfw_producer* producer, const bam1_t* record) {
    const size_t size = bgzfw_bam1_size(record);
    uint8_t* out = bgzfw_producer_begin_record(producer, size);
    if (out == NULL) return -1;
    bgzfw_bam1_encode(record, out, size);
    return bgzfw_producer_end_record(producer);
}

#endif
