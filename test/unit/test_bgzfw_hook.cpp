// test_bgzfw_hook.cpp: the commit hook tells what a reader of the file would find.
#include <htslib/bgzf.h>

#include <atomic>
#include <boost/test/unit_test.hpp>

#include "bgzfw_support.hpp"

using namespace bgzfw;
using namespace bgzfw_test;

namespace {

struct Place {
    uint64_t begin, end;
    Bytes bytes;
    bool operator==(const Place&) const = default;
};

class CollectingHook : public CommitHook {
   public:
    void on_header(uint64_t first_record_voffset) override {
        BOOST_TEST((places.empty() && first_record == 0));
        first_record = first_record_voffset;
    }
    void on_records(std::span<const CommittedRecord> records) override {
        BOOST_TEST(!inside.exchange(true));
        for (const auto& r : records) {
            places.push_back({r.begin_voffset, r.end_voffset, {r.bytes.begin(), r.bytes.end()}});
        }
        inside = false;
    }
    uint64_t first_record = 0;
    std::vector<Place> places;
    std::atomic<bool> inside{false};
};

// What htslib's reader tells of a file.
std::vector<Place> places_by_reading(const std::string& path, uint64_t& first_record) {
    BGZF* file = bgzf_open(path.c_str(), "r");
    BOOST_TEST_REQUIRE(file != nullptr);
    Bytes buffer(test_header().bytes().size());
    BOOST_TEST_REQUIRE(bgzf_read(file, buffer.data(), buffer.size()) ==
                       static_cast<ssize_t>(buffer.size()));
    first_record = static_cast<uint64_t>(bgzf_tell(file));
    std::vector<Place> places;
    for (;;) {
        Place place{static_cast<uint64_t>(bgzf_tell(file)), 0, Bytes(4)};
        if (bgzf_read(file, place.bytes.data(), 4) != 4) break;
        const size_t n = load_u32(place.bytes.data());
        place.bytes.resize(4 + n);
        BOOST_TEST_REQUIRE(bgzf_read(file, place.bytes.data() + 4, n) == static_cast<ssize_t>(n));
        place.end = static_cast<uint64_t>(bgzf_tell(file));
        places.push_back(std::move(place));
    }
    bgzf_close(file);
    return places;
}

std::vector<Bytes> records_with_full_blocks() {
    auto records = make_records(1500, 21);
    // Ends at a block's end: alone in it, together with others, and after two more blocks.
    for (int i = 0; i < 3; ++i) {
        records.push_back(make_record("full", kMaxPayload, 1));
        records.push_back(make_record("half", kMaxPayload / 2, 2));
        records.push_back(make_record("half", kMaxPayload / 2, 3));
        records.push_back(make_record("long", 3 * kMaxPayload, 4));
    }
    return records;
}

}  // namespace

BOOST_AUTO_TEST_SUITE(test_bgzfw_hook)

BOOST_AUTO_TEST_CASE(pain_35_places_are_those_a_reader_finds) {
    const auto records = records_with_full_blocks();
    for (Backend backend : available_backends()) {
        for (int level : {0, 1}) {
            for (int workers : {0, 1, 2, 8}) {
                const ScratchDir scratch;
                CollectingHook hook;
                Writer writer(
                    scratch.file("x.bam"), test_header(),
                    {.backend = backend, .level = level, .workers = workers, .hook = &hook});
                for (size_t i = 0; i < records.size(); i += 11) {
                    writer.write_encoded(joined(records, i, i + 11));
                }
                writer.close();
                uint64_t first_record = 0;
                const auto expected = places_by_reading(scratch.file("x.bam"), first_record);
                BOOST_TEST_CONTEXT(backend_name(backend)
                                   << " level " << level << " workers " << workers) {
                    BOOST_TEST(expected.size() == records.size());
                    BOOST_TEST(hook.first_record == first_record);
                    BOOST_TEST((hook.places == expected));
                }
            }
        }
    }
}

BOOST_AUTO_TEST_CASE(places_of_producers_too) {
    const auto records = make_records(3000, 22);
    for (Backend backend : available_backends()) {
        for (Order order : {Order::kAsWritten, Order::kByBatch}) {
            for (int workers : {0, 2}) {
                const ScratchDir scratch;
                CollectingHook hook;
                Writer writer(scratch.file("x.bam"), test_header(),
                              {.backend = backend,
                               .level = 1,
                               .workers = workers,
                               .order = order,
                               .hook = &hook});
                std::atomic<size_t> next{0};
                std::vector<std::thread> threads;
                for (int t = 0; t < 4; ++t) {
                    threads.emplace_back([&] {
                        Producer producer = writer.producer();
                        for (size_t b; (b = next++) * 100 < records.size();) {
                            const Bytes batch = joined(records, b * 100, b * 100 + 100);
                            if (order == Order::kByBatch) {
                                producer.submit(batch, b);
                            } else {
                                producer.write_encoded(batch);
                            }
                        }
                        producer.finish();
                    });
                }
                for (auto& thread : threads) thread.join();
                writer.close();
                uint64_t first_record = 0;
                const auto expected = places_by_reading(scratch.file("x.bam"), first_record);
                BOOST_TEST(expected.size() == records.size());
                BOOST_TEST((hook.places == expected));
            }
        }
    }
}

BOOST_AUTO_TEST_CASE(hook_that_throws_fails_the_writer) {
    class Throwing : public CommitHook {
        void on_records(std::span<const CommittedRecord>) override {
            throw std::runtime_error("no more room in the index");
        }
    } hook;
    for (Backend backend : available_backends()) {
        for (int workers : {0, 2}) {
            const ScratchDir scratch;
            Writer writer(scratch.file("x.bam"), test_header(),
                          {.backend = backend, .workers = workers, .hook = &hook});
            writer.write_encoded(make_record("r", 100, 1));
            try {
                writer.close();
                BOOST_ERROR("close() did not throw");
            } catch (const Error& e) {
                BOOST_TEST((e.code() == ErrorCode::kHook));
                BOOST_TEST(std::string(e.what()) == "no more room in the index");
            }
            BOOST_TEST(decode_file(scratch.file("x.bam")).n_eof_blocks == 0);
        }
    }
}

BOOST_AUTO_TEST_SUITE_END()
