/* c_api.c BAM: builds, opens, asks and checks through qbix.h. Prints the records of the name
 * given as the second argument; exits with 1 and a message when something is not as it should. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "qbix/qbix.h"

static void require(int condition, const char* what) {
    if (condition) return;
    fprintf(stderr, "c_api: not so: %s\n", what);
    exit(1);
}

static int count_calls(void* user, uint64_t n_records, uint64_t bytes_read, uint64_t bytes_total) {
    (void)n_records;
    ++*(int*)user;
    require(bytes_read <= bytes_total, "progress stays within the file");
    return 0;
}

static int stop_at_once(void* user, uint64_t n_records, uint64_t bytes_read, uint64_t bytes_total) {
    (void)user, (void)n_records, (void)bytes_read, (void)bytes_total;
    return 1;
}

static int64_t print_records(qbix_handle* handle, const char* name) {
    kstring_t line = KS_INITIALIZE;
    bam1_t* record = bam_init1();
    int64_t n = 0;
    int status;
    require(qbix_fetch(handle, name) >= 0, "fetch");
    while ((status = qbix_next(handle, record)) == 1) {
        require(sam_format1(qbix_header(handle), record, &line) >= 0, "format");
        puts(line.s);
        ++n;
    }
    require(status == 0, "the last record is followed by 0");
    bam_destroy1(record);
    free(line.s);
    return n;
}

static void test_errors(qbix_handle* handle) {
    const uint64_t* voffsets;
    bam1_t* record = bam_init1();
    require(qbix_lookup(handle, "x", &voffsets) == QBIX_EUSAGE, "lookup needs an open file");
    require(qbix_next(handle, record) == QBIX_EUSAGE, "next needs an open file");
    require(qbix_header(handle) == NULL, "no header");
    require(qbix_open(handle, "/nonexistent.bam", NULL) == QBIX_EOPEN, "no such file");
    require(strlen(qbix_last_error(handle)) > 0, "a message");
    require(qbix_last_status(handle) == QBIX_EOPEN, "the status stays");
    require(qbix_open(handle, NULL, NULL) == QBIX_EUSAGE, "NULL path");
    require(qbix_open(NULL, "x", NULL) == QBIX_EUSAGE, "NULL handle");
    require(qbix_build(handle, "/nonexistent.bam", NULL) == QBIX_EOPEN, "nothing to build from");
    qbix_close(NULL);
    bam_destroy1(record);
}

static void test_build(qbix_handle* handle, const char* bam_path) {
    int n_calls = 0;
    qbix_build_options options;
    qbix_build_options_init(&options, sizeof options);
    options.n_threads = 2;
    options.user = &n_calls;
    options.on_progress = stop_at_once;
    if (qbix_build(handle, bam_path, &options) != 0)
        require(qbix_last_status(handle) == QBIX_ECANCELLED, "cancelled");
    options.on_progress = count_calls;
    require(qbix_build(handle, bam_path, &options) == 0, qbix_last_error(handle));
    options.format = 4;
    require(qbix_build(handle, bam_path, &options) == QBIX_EUSAGE, "no such format");
    options.format = 3;
    options.remainder_bits = 17;
    require(qbix_build(handle, bam_path, &options) == QBIX_EUSAGE, "no such remainders");
    options.format = 2;
    require(qbix_build(handle, bam_path, &options) == 0, qbix_last_error(handle));
    options.size_bytes = sizeof options + 8;
    require(qbix_build(handle, bam_path, &options) == QBIX_EUSAGE, "options of a later library");
    /* A caller that was compiled against fewer members. */
    options.size_bytes = offsetof(qbix_build_options, format);
    require(qbix_build(handle, bam_path, &options) == 0, qbix_last_error(handle));
}

/* Asks one index, NULL for the one beside the file; returns the sum of the offsets. */
static uint64_t test_index(qbix_handle* handle, const char* bam_path, const char* index_path,
                           const char* name) {
    const uint64_t* voffsets = NULL;
    qbix_handle* clone;
    int64_t n, i;
    uint64_t sum;
    require(qbix_open(handle, bam_path, index_path) == 0, qbix_last_error(handle));
    require(qbix_check(handle, 2) == 0, qbix_last_error(handle));
    n = qbix_lookup(handle, name, &voffsets);
    require(n > 0, "the name is there");
    sum = voffsets[0];
    for (i = 1; i < n; ++i) {
        require(voffsets[i - 1] < voffsets[i], "offsets ascend");
        sum += voffsets[i];
    }
    require(qbix_lookup(handle, "no such name", NULL) == 0, "a name that is not there");
    clone = qbix_clone(handle);
    qbix_close(handle);
    require(print_records(clone, name) == n, "all candidates are records");
    require(print_records(clone, "no such name") == 0, "no record");
    qbix_close(clone);
    return sum;
}

/* The records are printed twice, once out of each index. */
int main(int argc, char** argv) {
    char qbi_path[4096];
    qbix_handle* handle = qbix_create();
    uint64_t sum;
    require(argc == 3 && handle != NULL, "two arguments");
    require(qbix_last_status(handle) == 0 && !*qbix_last_error(handle), "no error yet");
    test_errors(handle);
    test_build(handle, argv[1]);
    sum = test_index(handle, argv[1], NULL, argv[2]);
    require(snprintf(qbi_path, sizeof qbi_path, "%s.qbi", argv[1]) < (int)sizeof qbi_path, "path");
    handle = qbix_create();
    require(sum == test_index(handle, argv[1], qbi_path, argv[2]), "both find the same offsets");
    return 0;
}
