/* qbix/qbix.h: libqbix for C.
 *
 * Everything happens through a handle, which holds at most one BAM file with its index, and
 * the last error. Functions return 0 or a count on success and a negative enum qbix_status
 * otherwise; qbix_last_error() then tells in one line what was wrong. No exception leaves the
 * library, nothing is printed, and no signal disposition is changed.
 *
 * One handle, one thread at a time. qbix_clone() makes handles for further threads that share
 * the opened files.
 *
 * Paths may be URLs that htslib opens. Strings end in a NUL and are copied. Virtual offsets
 * are those of BGZF (SAM specification, 4.1.1).
 */
#ifndef QBIX_QBIX_H
#define QBIX_QBIX_H

#include <htslib/sam.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define QBIX_API __attribute__((visibility("default")))

enum qbix_status {
    QBIX_OK = 0,
    QBIX_EUSAGE = -1,         /* an argument is out of its range, or nothing is open */
    QBIX_EOPEN = -2,          /* a file cannot be opened or created */
    QBIX_EIO = -3,            /* a read, write, seek or rename failed */
    QBIX_ENOTBAM = -4,        /* the input is not a BAM file */
    QBIX_ETRUNCATED = -5,     /* the BAM file ends inside a block or a record */
    QBIX_ENOEOF = -6,         /* the BAM file lacks its end-of-file block */
    QBIX_EDAMAGED = -7,       /* the BAM file is corrupt */
    QBIX_ENOTINDEX = -8,      /* the file is not an index that this version reads */
    QBIX_EBADINDEX = -9,      /* the index is inconsistent */
    QBIX_EFOREIGNINDEX = -10, /* the index was made for another BAM file */
    QBIX_ECANCELLED = -11,    /* the caller asked to stop */
    QBIX_ENOMEM = -12,        /* out of memory */
    QBIX_EINTERNAL = -13      /* anything else */
};

typedef struct qbix_handle qbix_handle;

/* "0.1.0": static storage. */
QBIX_API const char* qbix_version(void);

/* A handle with nothing open; NULL when out of memory. */
QBIX_API qbix_handle* qbix_create(void);

/* Closes what is open and frees the handle. NULL is fine. */
QBIX_API void qbix_close(qbix_handle* handle);

/* The message and the status of the last function that failed on this handle; "" and 0
 * when none did. The text is valid until the next call on the handle. */
QBIX_API const char* qbix_last_error(const qbix_handle* handle);
QBIX_API int qbix_last_status(const qbix_handle* handle);

/* ---- building --------------------------------------------------------------------- */

/* Set by qbix_build_options_init(); members are only ever added at the end. */
typedef struct qbix_build_options {
    size_t size_bytes;      /* of this struct, as the caller was compiled */
    const char* index_path; /* NULL: the BAM file's name plus ".qbx" or ".qbi" */
    int format;             /* 1: QBI1, 2: QBI2, 3: QBX (default) */
    int radix_bits;         /* of QBI2: 8, 12, 16, or 0: by the number of records (default) */
    int n_threads;          /* busy threads, the caller's included; 1 by default */
    uint64_t memory_bytes;  /* of the buffers; 512 MiB by default, at least 16 MiB */
    const char* tmp_prefix; /* of spill files; NULL: the index path */
    int allow_no_eof;       /* index a BAM file without its end-of-file block */
    /* Called now and then, from any thread, never two at once; a non-zero result ends the
     * build with QBIX_ECANCELLED. May be NULL. */
    int (*on_progress)(void* user, uint64_t n_records, uint64_t bytes_read, uint64_t bytes_total);
    void* user;
    int remainder_bits; /* of QBX: 16 (default), 24, or 32 where absent names are common */
} qbix_build_options;

/* Sets the defaults. `size_bytes` is sizeof(qbix_build_options). */
QBIX_API void qbix_build_options_init(qbix_build_options* options, size_t size_bytes);

/* Builds the index of a BAM file. NULL options are the defaults. The index appears whole or
 * not at all. Does not touch what the handle has open. */
QBIX_API int qbix_build(qbix_handle* handle, const char* bam_path,
                        const qbix_build_options* options);

/* ---- asking ----------------------------------------------------------------------- */

/* Opens a BAM file and its index, which must belong to it: size, header and a few records
 * are compared. A NULL index_path means the one beside the BAM file. What was open before is
 * closed. */
QBIX_API int qbix_open(qbix_handle* handle, const char* bam_path, const char* index_path);

/* A handle for another thread that shares what `handle` has open; NULL when out of memory. */
QBIX_API qbix_handle* qbix_clone(const qbix_handle* handle);

/* Compares the whole index with the whole BAM file, with n_threads busy threads. */
QBIX_API int qbix_check(qbix_handle* handle, int n_threads);

/* The header of the open BAM file, or NULL. Owned by the handle and not to be edited. */
QBIX_API const sam_hdr_t* qbix_header(const qbix_handle* handle);

/* Where records may stand whose name is `name`: their virtual offsets, ascending, in *voffsets
 * until the next call on the handle. Returns how many. These are candidates: another name
 * with the same hash is possible, though rare; qbix_fetch() compares names. With a QBX index
 * the blocks that hold the records are read, and only records of that name are told. */
QBIX_API int64_t qbix_lookup(qbix_handle* handle, const char* name, const uint64_t** voffsets);

/* Prepares to read the records whose name is `name`, in file order, with qbix_next(). Returns
 * the number of candidates. */
QBIX_API int64_t qbix_fetch(qbix_handle* handle, const char* name);

/* Reads the next record of qbix_fetch() into *record: 1, or 0 after the last. */
QBIX_API int qbix_next(qbix_handle* handle, bam1_t* record);

#ifdef __cplusplus
}
#endif

#endif
