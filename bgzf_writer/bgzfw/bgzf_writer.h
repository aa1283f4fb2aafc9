/* bgzfw/bgzf_writer.h: the writer for C. The same verbs as writer.hpp, which says more.
 *
 *     bgzfw_options options = BGZFW_OPTIONS_INIT;
 *     bgzfw_writer *out;
 *     int failed = bgzfw_open(&out, "out.bam", sam_header, strlen(sam_header), &options);
 *     if (!failed) failed = bgzfw_write_encoded(out, records, size_bytes);
 *     if (!failed) failed = bgzfw_close(out);
 *     if (failed) fprintf(stderr, "%s\n", bgzfw_last_error(out));
 *     bgzfw_destroy(out);
 *
 * Functions that return int return 0, or -1 on an error, which bgzfw_last_error() then
 * describes. The first error of a writer is the one that every later call on it, and on its
 * producers, reports. No exception leaves this interface.
 */
#ifndef BGZFW_BGZF_WRITER_H
#define BGZFW_BGZF_WRITER_H

#include <stddef.h>
#include <stdint.h>

#if defined(__GNUC__)
#define BGZFW_C_EXPORT __attribute__((visibility("default")))
#else
#define BGZFW_C_EXPORT
#endif

#ifdef __cplusplus
extern "C" {
#endif

typedef struct bgzfw_writer bgzfw_writer;
typedef struct bgzfw_producer bgzfw_producer;

enum { BGZFW_AUTO = 0, BGZFW_HTSLIB = 1, BGZFW_LIBDEFLATE = 2, BGZFW_ISAL = 3 };

/* BGZFW_AS_WRITTEN: records in the order of calls (of producers: of arrival).
 * BGZFW_BY_BATCH: producers submit batches numbered 0, 1, 2, ... */
enum { BGZFW_AS_WRITTEN = 0, BGZFW_BY_BATCH = 1 };

/* Where a record went; voffset = coffset << 16 | uoffset. `bytes` is valid during the call. */
typedef struct bgzfw_record {
    uint64_t begin_voffset;
    uint64_t end_voffset;
    const uint8_t* bytes;
    size_t size_bytes;
} bgzfw_record;

/* Called in file order, never twice at once, from any thread. Non-zero makes the writer fail. */
typedef int (*bgzfw_commit_hook)(void* hook_data, const bgzfw_record* records, size_t n_records);

typedef struct bgzfw_options {
    size_t struct_size;     /* sizeof(bgzfw_options), so that fields can be added */
    int backend;            /* BGZFW_AUTO ... */
    int level;              /* -1 = the default, 0 to 9 as htslib's, 10 to 12 libdeflate's */
    int workers;            /* threads that compress; 0 = the calling ones do */
    int order;              /* BGZFW_AS_WRITTEN or BGZFW_BY_BATCH */
    uint32_t window;        /* batches in flight at most */
    bgzfw_commit_hook hook; /* or NULL */
    void* hook_data;
    void* htslib_pool; /* hts_tpool to share, or NULL */
} bgzfw_options;

#define BGZFW_OPTIONS_INIT \
    { sizeof(bgzfw_options), BGZFW_AUTO, -1, 0, BGZFW_AS_WRITTEN, 256, NULL, NULL, NULL }

/* Opens `path` ("-" = standard output). `*writer` is set also on an error, unless there is no
 * memory for it (then NULL), so that bgzfw_last_error() can tell; destroy it in any case.
 * `options` may be NULL. */
BGZFW_C_EXPORT int bgzfw_open(bgzfw_writer** writer, const char* path, const char* sam_header,
                              size_t l_sam_header, const bgzfw_options* options);
/* The same on a descriptor, which stays the caller's. */
BGZFW_C_EXPORT int bgzfw_open_fd(bgzfw_writer** writer, int fd, const char* sam_header,
                                 size_t l_sam_header, const bgzfw_options* options);
/* The same from the bytes of a BAM header. */
BGZFW_C_EXPORT int bgzfw_open_bam_header(bgzfw_writer** writer, const char* path,
                                         const void* bam_header, size_t size_bytes,
                                         const bgzfw_options* options);

/* For one thread at a time. */
BGZFW_C_EXPORT int bgzfw_write_encoded(bgzfw_writer* writer, const void* records,
                                       size_t size_bytes);
BGZFW_C_EXPORT int bgzfw_write_sam(bgzfw_writer* writer, const char* lines, size_t l_lines);
/* Room for one record, or NULL on an error (also for size 0); fill it, then call
 * bgzfw_end_record(). */
BGZFW_C_EXPORT uint8_t* bgzfw_begin_record(bgzfw_writer* writer, size_t size_bytes);
BGZFW_C_EXPORT int bgzfw_end_record(bgzfw_writer* writer);

/* For any thread. */
BGZFW_C_EXPORT void bgzfw_cancel(bgzfw_writer* writer, const char* reason);
BGZFW_C_EXPORT uint64_t bgzfw_bytes_written(const bgzfw_writer* writer);
BGZFW_C_EXPORT int bgzfw_backend(const bgzfw_writer* writer); /* never BGZFW_AUTO */

/* Writes the EOF block if all went well, and reports the first error if not. */
BGZFW_C_EXPORT int bgzfw_close(bgzfw_writer* writer);

/* Frees the writer; without bgzfw_close() before, the file stays without EOF block. NULL is
 * allowed. */
BGZFW_C_EXPORT void bgzfw_destroy(bgzfw_writer* writer);

/* The message of the last call that failed on this handle, "" if none has. Valid until the
 * next call on it. For the thread that made that call. */
BGZFW_C_EXPORT const char* bgzfw_last_error(const bgzfw_writer* writer);

/* One producer for each thread. `*producer` is set also on an error, as in bgzfw_open(). */
BGZFW_C_EXPORT int bgzfw_producer_open(bgzfw_producer** producer, bgzfw_writer* writer);
BGZFW_C_EXPORT int bgzfw_producer_write_encoded(bgzfw_producer* producer, const void* records,
                                                size_t size_bytes);
BGZFW_C_EXPORT int bgzfw_producer_write_sam(bgzfw_producer* producer, const char* lines,
                                            size_t l_lines);
BGZFW_C_EXPORT uint8_t* bgzfw_producer_begin_record(bgzfw_producer* producer, size_t size_bytes);
BGZFW_C_EXPORT int bgzfw_producer_end_record(bgzfw_producer* producer);
/* What was written since the last submit is batch `number`. */
BGZFW_C_EXPORT int bgzfw_producer_submit(bgzfw_producer* producer, uint64_t number);
BGZFW_C_EXPORT int bgzfw_producer_submit_encoded(bgzfw_producer* producer, const void* records,
                                                 size_t size_bytes, uint64_t number);
BGZFW_C_EXPORT int bgzfw_producer_finish(bgzfw_producer* producer);
/* Without finish before: the writer fails. NULL is allowed. */
BGZFW_C_EXPORT void bgzfw_producer_destroy(bgzfw_producer* producer);
BGZFW_C_EXPORT const char* bgzfw_producer_last_error(const bgzfw_producer* producer);

#ifdef __cplusplus
}
#endif
#endif
