// test_bgzfw_streams.cpp: the decoded record stream is what was written, whatever the
// backend, level, number of threads and order of arrival.
#include <atomic>
#include <boost/test/unit_test.hpp>

#include "bgzfw_support.hpp"

using namespace bgzfw;
using namespace bgzfw_test;

namespace {

constexpr int kThreadCounts[] = {0, 1, 2, 4, 8};

std::vector<int> levels_of(Backend backend) {
    if (backend == Backend::kIsal) return {0, 1};
    if (backend == Backend::kHtslib) return {-1, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9};
    return {-1, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12};
}

// Writes records in spans of `per_call` and checks what every file must be.
DecodedBam write_stream(const std::vector<Bytes>& records, const Options& options, size_t per_call,
                        Bytes* file_bytes = nullptr) {
    const ScratchDir scratch;
    const std::string path = scratch.file("x.bam");
    Writer writer(path, test_header(), options);
    for (size_t i = 0; i < records.size(); i += per_call) {
        writer.write_encoded(joined(records, i, i + per_call));
    }
    writer.close();
    const Bytes file = read_file(path);
    BOOST_TEST(file.size() == writer.bytes_written());
    BOOST_TEST(writer.n_records() == records.size());
    DecodedBam bam = decode(file);
    BOOST_TEST(bam.n_eof_blocks == 1);
    BOOST_TEST(bam.ends_with_eof_block);
    BOOST_TEST(std::ranges::equal(bam.header, test_header().bytes()));
    if (file_bytes != nullptr) *file_bytes = file;
    return bam;
}

// Every batch is a run of records that begins with a given number; producers take batches
// from a counter, as the threads of an aligner do.
struct Batch {
    size_t begin, end;
};

std::vector<Batch> cut_into_batches(size_t n_records, uint64_t seed) {
    std::mt19937_64 random(seed);
    std::vector<Batch> batches;
    for (size_t i = 0; i < n_records;) {
        const size_t n = random() % 10 == 0 ? 0 : random() % 300;  // some are empty
        batches.push_back({i, std::min(i + n, n_records)});
        i = batches.back().end;
    }
    return batches;
}

Bytes write_batches(const std::vector<Bytes>& records, const std::vector<Batch>& batches,
                    Options options, int n_producers, bool one_span) {
    const ScratchDir scratch;
    options.order = Order::kByBatch;
    Writer writer(scratch.file("x.bam"), test_header(), options);
    std::atomic<size_t> next{0};
    std::vector<std::thread> threads;
    for (int t = 0; t < n_producers; ++t) {
        threads.emplace_back([&] {
            Producer producer = writer.producer();
            for (size_t b; (b = next++) < batches.size();) {
                if (one_span) {
                    producer.submit(joined(records, batches[b].begin, batches[b].end), b);
                    continue;
                }
                for (size_t i = batches[b].begin; i < batches[b].end; ++i) {
                    producer.write_encoded(records[i]);
                }
                producer.submit(b);
            }
            producer.finish();
        });
    }
    for (auto& thread : threads) thread.join();
    writer.close();
    return read_file(scratch.file("x.bam"));
}

}  // namespace

BOOST_AUTO_TEST_SUITE(test_bgzfw_streams)

BOOST_AUTO_TEST_CASE(pain_36_all_backends_levels_and_threads_write_the_same_records_and_blocks) {
    // The high levels take long over data without long repetitions.
    const auto diverse = make_records(600, 7);
    std::vector<Bytes> repetitive;
    for (size_t i = 0; i < 700; ++i) {
        repetitive.push_back(make_record("r" + std::to_string(i), 500 + i % 7, i % 7));
    }
    const auto reference_of = [](const std::vector<Bytes>& records) {
        return write_stream(records, {.backend = available_backends().back()}, 50);
    };
    const auto low_reference = reference_of(diverse), high_reference = reference_of(repetitive);
    BOOST_TEST((low_reference.records == diverse));
    BOOST_TEST(high_reference.payload_sizes.size() > 5u);  // two chunks
    for (Backend backend : available_backends()) {
        for (int level : levels_of(backend)) {
            const auto& records = level > 3 ? repetitive : diverse;
            const auto& reference = level > 3 ? high_reference : low_reference;
            Bytes first_bytes;
            for (int workers : kThreadCounts) {
                Bytes bytes;
                const auto bam = write_stream(
                    records, {.backend = backend, .level = level, .workers = workers}, 37, &bytes);
                BOOST_TEST_CONTEXT(backend_name(backend)
                                   << " level " << level << " workers " << workers) {
                    BOOST_TEST((bam.records == records));
                    BOOST_TEST(bam.payload_sizes == reference.payload_sizes);
                    if (first_bytes.empty()) first_bytes = bytes;
                    BOOST_TEST((bytes == first_bytes));  // threads change no byte
                }
            }
        }
    }
}

BOOST_AUTO_TEST_CASE(borders_do_not_depend_on_how_records_are_handed_over) {
    const auto records = make_records(2000, 8);
    Bytes one_by_one, at_once, begun;
    write_stream(records, {.level = 1}, 1, &one_by_one);
    write_stream(records, {.level = 1}, records.size(), &at_once);
    BOOST_TEST((one_by_one == at_once));
    const ScratchDir scratch;
    Writer writer(scratch.file("x.bam"), test_header(), {.level = 1, .workers = 3});
    for (const Bytes& record : records) {
        std::ranges::copy(record, writer.begin_record(record.size()));
        writer.end_record();
    }
    writer.close();
    BOOST_TEST((read_file(scratch.file("x.bam")) == at_once));
}

BOOST_AUTO_TEST_CASE(records_around_the_size_of_a_block) {
    std::vector<Bytes> records;
    for (size_t size : {kMaxPayload - 1, kMaxPayload, kMaxPayload + 1, 2 * kMaxPayload - 1,
                        2 * kMaxPayload, 2 * kMaxPayload + 1, size_t{1} << 20,
                        kMaxPayload - kSmallestRecord, kSmallestRecord, kSmallestRecord}) {
        for (bool compressible : {true, false}) {
            records.push_back(make_record("edge", size, size, compressible));
            records.push_back(make_record("small", kSmallestRecord, size, compressible));
        }
    }
    for (Backend backend : available_backends()) {
        for (int level : {0, 1}) {
            for (int workers : {0, 2}) {
                const Options options{.backend = backend, .level = level, .workers = workers};
                BOOST_TEST((write_stream(records, options, 3).records == records));
            }
        }
    }
}

BOOST_AUTO_TEST_CASE(pain_37_incompressible_data_never_overflows_a_block) {
    std::vector<Bytes> records;
    for (uint64_t i = 0; i < 60; ++i) records.push_back(make_record("x", 20000 + i, i, false));
    for (Backend backend : available_backends()) {
        for (int level : levels_of(backend)) {
            BOOST_TEST((write_stream(records, {.backend = backend, .level = level}, 7).records ==
                        records));
        }
    }
}

BOOST_AUTO_TEST_CASE(file_without_records_is_header_and_eof_block) {
    for (Backend backend : available_backends()) {
        for (int workers : kThreadCounts) {
            const auto bam = write_stream({}, {.backend = backend, .workers = workers}, 1);
            BOOST_TEST(bam.records.empty());
            BOOST_TEST(bam.payload_sizes.size() == 1u);
        }
    }
}

BOOST_AUTO_TEST_CASE(pain_39_batches_come_in_the_order_of_their_numbers) {
    const auto records = make_records(500 + scaled(2500), 9);
    const auto batches = cut_into_batches(records.size(), 9);
    for (Backend backend : available_backends()) {
        Bytes first;
        for (int producers : {1, 2, 4, 8}) {
            for (int workers : {0, 3}) {
                for (uint32_t window : {1u, 2u, 256u}) {
                    const Options options{
                        .backend = backend, .level = 1, .workers = workers, .window = window};
                    const Bytes file =
                        write_batches(records, batches, options, producers, producers % 2 == 0);
                    if (first.empty()) {
                        first = file;
                        BOOST_TEST((decode(file).records == records));
                    }
                    BOOST_TEST((file == first));  // depends on the batches alone
                }
            }
        }
    }
}

BOOST_AUTO_TEST_CASE(pain_39_unordered_producers_lose_and_tear_nothing) {
    constexpr int kProducers = 6, kTemplates = static_cast<int>(310 + scaled(1200));
    for (Backend backend : available_backends()) {
        for (int workers : {0, 2}) {
            const ScratchDir scratch;
            Writer writer(scratch.file("x.bam"), test_header(),
                          {.backend = backend, .level = 1, .workers = workers});
            std::vector<std::thread> threads;
            for (int t = 0; t < kProducers; ++t) {
                threads.emplace_back([&, t] {
                    Producer producer = writer.producer();
                    for (int i = 0; i < kTemplates; ++i) {
                        const std::string name = std::to_string(t) + ":" + std::to_string(i);
                        const size_t size = i % 300 == 7 ? 150000 : 100 + i % 900;
                        Bytes pair = make_record(name, size, i);
                        const Bytes mate = make_record(name, 200 + i % 77, i + 1);
                        pair.insert(pair.end(), mate.begin(), mate.end());
                        producer.write_encoded(pair);
                    }
                    producer.finish();
                });
            }
            for (auto& thread : threads) thread.join();
            writer.close();
            const auto bam = decode_file(scratch.file("x.bam"));
            BOOST_TEST_REQUIRE(bam.records.size() == 2u * kProducers * kTemplates);
            std::vector<int> next(kProducers, 0);
            for (size_t i = 0; i < bam.records.size(); i += 2) {
                const auto name = [&](size_t k) {
                    return std::string(reinterpret_cast<const char*>(bam.records[k].data() + 36));
                };
                BOOST_TEST_REQUIRE(name(i) == name(i + 1));  // pairs stay together
                const auto t = static_cast<size_t>(std::stoi(name(i)));
                // and each producer's records stay in its own order
                BOOST_TEST_REQUIRE(name(i) == std::to_string(t) + ":" + std::to_string(next[t]++));
            }
        }
    }
}

BOOST_AUTO_TEST_CASE(calls_out_of_order_are_refused) {
    const ScratchDir scratch;
    const auto refused = [](auto action) {
        try {
            action();
        } catch (const Error& e) {
            return e.code() == ErrorCode::kUsage;
        }
        return false;
    };
    const Bytes record = make_record("r", 100, 1);
    {
        Writer w(scratch.file("a.bam"), test_header(), {.order = Order::kByBatch});
        BOOST_TEST(refused([&] { w.write_encoded(record); }));
    }
    {
        Writer w(scratch.file("b.bam"), test_header());
        Producer p = w.producer();
        BOOST_TEST(refused([&] { p.submit(0); }));
    }
    {
        Writer w(scratch.file("c.bam"), test_header());
        w.begin_record(100);
        BOOST_TEST(refused([&] { w.begin_record(100); }));
    }
    {
        Writer w(scratch.file("d.bam"), test_header());
        w.close();
        w.close();
        BOOST_CHECK_THROW(w.write_encoded(record), Error);
        w.close();
    }
    {
        Writer w(scratch.file("e.bam"), test_header());
        Producer p = w.producer();
        BOOST_TEST(refused([&] { w.close(); }));
        BOOST_TEST(refused([&] { w.close(); }));
    }
    {
        Writer w(scratch.file("f.bam"), test_header(), {.order = Order::kByBatch});
        Producer p = w.producer();
        p.submit(record, 0);
        BOOST_TEST(refused([&] { p.submit(record, 0); }));
    }
    {
        Writer w(scratch.file("g.bam"), test_header(), {.order = Order::kByBatch});
        Producer p = w.producer();
        p.submit(record, 0);
        p.submit(record, 2);
        p.finish();
        BOOST_TEST(refused([&] { w.close(); }));  // 1 is missing
        BOOST_TEST(decode_file(scratch.file("g.bam")).n_eof_blocks == 0);
    }
    {
        Writer w(scratch.file("h.bam"), test_header(), {.order = Order::kByBatch});
        Producer p = w.producer();
        p.write_encoded(record);
        BOOST_TEST(refused([&] { p.finish(); }));
    }
}

BOOST_AUTO_TEST_SUITE_END()
