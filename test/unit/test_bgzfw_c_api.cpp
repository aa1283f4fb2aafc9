// test_bgzfw_c_api.cpp: the C interface.
#include <atomic>
#include <boost/test/unit_test.hpp>

#include "bgzfw/bgzf_writer.h"
#include "bgzfw_support.hpp"

using namespace bgzfw_test;

namespace {

const std::string kHeader = kHeaderText;

int count_records(void* data, const bgzfw_record* records, size_t n) {
    uint64_t& count = *static_cast<uint64_t*>(data);
    for (size_t i = 0; i < n; ++i) count += records[i].begin_voffset < records[i].end_voffset;
    return 0;
}

int refuse(void*, const bgzfw_record*, size_t) { return 7; }

}  // namespace

BOOST_AUTO_TEST_SUITE(test_bgzfw_c_api)

BOOST_AUTO_TEST_CASE(one_thread) {
    const ScratchDir scratch;
    const auto records = make_records(300, 31);
    uint64_t n_told = 0;
    bgzfw_options options = BGZFW_OPTIONS_INIT;
    options.level = 1;
    options.workers = 2;
    options.hook = count_records;
    options.hook_data = &n_told;
    bgzfw_writer* writer = nullptr;
    BOOST_TEST_REQUIRE(bgzfw_open(&writer, scratch.file("x.bam").c_str(), kHeader.data(),
                                  kHeader.size(), &options) == 0);
    BOOST_TEST(bgzfw_backend(writer) != BGZFW_AUTO);
    for (size_t i = 0; i < records.size(); ++i) {
        if (i % 2 == 0) {
            BOOST_TEST(bgzfw_write_encoded(writer, records[i].data(), records[i].size()) == 0);
        } else {
            uint8_t* room = bgzfw_begin_record(writer, records[i].size());
            BOOST_TEST_REQUIRE(room != nullptr);
            std::ranges::copy(records[i], room);
            BOOST_TEST(bgzfw_end_record(writer) == 0);
        }
    }
    BOOST_TEST(bgzfw_close(writer) == 0);
    BOOST_TEST(std::string(bgzfw_last_error(writer)) == "");
    BOOST_TEST(bgzfw_bytes_written(writer) == std::filesystem::file_size(scratch.file("x.bam")));
    bgzfw_destroy(writer);
    BOOST_TEST((decode_file(scratch.file("x.bam")).records == records));
    BOOST_TEST(n_told == records.size());
}

BOOST_AUTO_TEST_CASE(producers_with_batches) {
    const ScratchDir scratch;
    const auto records = make_records(1000, 32);
    bgzfw_options options = BGZFW_OPTIONS_INIT;
    options.order = BGZFW_BY_BATCH;
    bgzfw_writer* writer = nullptr;
    BOOST_TEST_REQUIRE(bgzfw_open(&writer, scratch.file("x.bam").c_str(), kHeader.data(),
                                  kHeader.size(), &options) == 0);
    std::atomic<size_t> next{0};
    std::atomic<int> n_failed{0};
    std::vector<std::thread> threads;
    for (int t = 0; t < 4; ++t) {
        threads.emplace_back([&] {
            bgzfw_producer* producer = nullptr;
            n_failed += bgzfw_producer_open(&producer, writer) != 0;
            for (size_t b; (b = next++) * 50 < records.size();) {
                const Bytes batch = joined(records, b * 50, b * 50 + 50);
                if (b % 2 == 0) {
                    n_failed +=
                        bgzfw_producer_submit_encoded(producer, batch.data(), batch.size(), b) != 0;
                } else {
                    n_failed +=
                        bgzfw_producer_write_encoded(producer, batch.data(), batch.size()) != 0;
                    n_failed += bgzfw_producer_submit(producer, b) != 0;
                }
            }
            n_failed += bgzfw_producer_finish(producer) != 0;
            bgzfw_producer_destroy(producer);
        });
    }
    for (auto& thread : threads) thread.join();
    BOOST_TEST(n_failed == 0);
    BOOST_TEST(bgzfw_close(writer) == 0);
    bgzfw_destroy(writer);
    BOOST_TEST((decode_file(scratch.file("x.bam")).records == records));
}

BOOST_AUTO_TEST_CASE(errors_are_told_by_the_handle) {
    bgzfw_writer* writer = nullptr;
    BOOST_TEST(bgzfw_open(&writer, "/nonexistent/x.bam", "", 0, nullptr) == -1);
    BOOST_TEST_REQUIRE(writer != nullptr);
    BOOST_TEST(std::string(bgzfw_last_error(writer)).find("No such file") != std::string::npos);
    BOOST_TEST(bgzfw_write_encoded(writer, "", 0) == -1);  // never opened: no crash
    BOOST_TEST(bgzfw_begin_record(writer, 100) == nullptr);
    BOOST_TEST(bgzfw_close(writer) == -1);
    BOOST_TEST(bgzfw_bytes_written(writer) == 0u);
    bgzfw_producer* producer = nullptr;
    BOOST_TEST(bgzfw_producer_open(&producer, writer) == -1);
    BOOST_TEST(bgzfw_producer_submit(producer, 0) == -1);
    bgzfw_producer_destroy(producer);
    bgzfw_destroy(writer);
    bgzfw_destroy(nullptr);
    bgzfw_producer_destroy(nullptr);
}

BOOST_AUTO_TEST_CASE(options_of_another_size_and_bad_values) {
    const ScratchDir scratch;
    bgzfw_options options = BGZFW_OPTIONS_INIT;
    bgzfw_writer* writer = nullptr;
    const auto open = [&] {
        const int status = bgzfw_open(&writer, scratch.file("x.bam").c_str(), "", 0, &options);
        const std::string message = bgzfw_last_error(writer);
        bgzfw_destroy(writer);
        return status == 0 ? "" : message;
    };
    options.backend = 9;
    BOOST_TEST(open() != "");
    options.struct_size = offsetof(bgzfw_options, backend);  // an older struct: not looked at
    BOOST_TEST(open() == "");
    options = BGZFW_OPTIONS_INIT;
    options.order = 2;
    BOOST_TEST(open() != "");
    options = BGZFW_OPTIONS_INIT;
    options.level = 13;
    BOOST_TEST(open() != "");
}

BOOST_AUTO_TEST_CASE(hook_that_refuses_and_cancel) {
    const ScratchDir scratch;
    const Bytes record = make_record("r", 100, 1);
    bgzfw_options options = BGZFW_OPTIONS_INIT;
    options.hook = refuse;
    bgzfw_writer* writer = nullptr;
    BOOST_TEST(bgzfw_open(&writer, scratch.file("x.bam").c_str(), "", 0, &options) == 0);
    BOOST_TEST(bgzfw_write_encoded(writer, record.data(), record.size()) == 0);
    BOOST_TEST(bgzfw_close(writer) == -1);
    BOOST_TEST(std::string(bgzfw_last_error(writer)) == "the commit hook returned 7");
    bgzfw_destroy(writer);

    BOOST_TEST(bgzfw_open(&writer, scratch.file("x.bam").c_str(), "", 0, nullptr) == 0);
    bgzfw_cancel(writer, "stop");
    BOOST_TEST(bgzfw_write_encoded(writer, record.data(), record.size()) == -1);
    BOOST_TEST(std::string(bgzfw_last_error(writer)) == "stop");
    bgzfw_destroy(writer);
    BOOST_TEST(decode_file(scratch.file("x.bam")).n_eof_blocks == 0);
}

BOOST_AUTO_TEST_SUITE_END()
