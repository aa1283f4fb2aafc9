/* copy_bam.c: a loop over sam_write1(), with the writer in its place.
 *
 *   cc copy_bam.c -lbgzf_writer -lhts -o copy_bam
 *   ./copy_bam in.bam out.bam 4
 */
#include <bgzfw/bgzf_writer_bam1.h>
#include <stdio.h>
#include <stdlib.h>

/* Returns 0, or -1 after saying what went wrong. */
static int copy(samFile* in, sam_hdr_t* header, bam1_t* record, bgzfw_writer* out) {
    int status;
    while ((status = sam_read1(in, header, record)) >= 0) {
        if (bgzfw_write_bam1(out, record) != 0) break; /* was: sam_write1(out, header, record) */
    }
    if (status < -1) {
        fprintf(stderr, "copy_bam: the input is damaged\n");
        return -1; /* without bgzfw_close() the output has no EOF block */
    }
    if (bgzfw_close(out) == 0) return 0; /* was: sam_close(out) */
    fprintf(stderr, "copy_bam: %s\n", bgzfw_last_error(out));
    return -1;
}

int main(int argc, char** argv) {
    int failed = 1;
    if (argc != 4) {
        fprintf(stderr, "usage: copy_bam IN OUT.bam WORKERS\n");
        return 1;
    }
    samFile* in = sam_open(argv[1], "r");
    sam_hdr_t* header = in ? sam_hdr_read(in) : NULL;
    bam1_t* record = bam_init1();
    if (header != NULL && record != NULL) {
        bgzfw_writer* out = NULL;
        bgzfw_options options = BGZFW_OPTIONS_INIT;
        options.workers = atoi(argv[3]);
        /* was: sam_open(..., "wb"), hts_set_threads(), sam_hdr_write() */
        if (bgzfw_open_hts(&out, argv[2], header, &options) == 0) {
            failed = copy(in, header, record, out) != 0;
        } else {
            fprintf(stderr, "copy_bam: %s\n", bgzfw_last_error(out));
        }
        bgzfw_destroy(out);
    } else {
        fprintf(stderr, "copy_bam: failed to read \"%s\"\n", argv[1]);
    }
    bam_destroy1(record);
    sam_hdr_destroy(header);
    if (in) sam_close(in);
    return failed;
}
