// test_bgzfw_blocks.cpp: block borders, block encoders, options.
#include <boost/test/data/test_case.hpp>
#include <boost/test/unit_test.hpp>

#include "bgzfw_support.hpp"
#include "block_encoder.hpp"
#include "chunk.hpp"

using namespace bgzfw;
using namespace bgzfw_test;

namespace {

std::vector<uint32_t> borders(const std::vector<size_t>& record_sizes) {
    BlockLayout layout;
    for (size_t n : record_sizes) layout.add_record(n);
    layout.close_block();
    return layout.sizes();
}

std::vector<Backend> own_backends() {
    auto all = available_backends();
    std::erase(all, Backend::kHtslib);
    return all;
}

}  // namespace

BOOST_AUTO_TEST_SUITE(test_bgzfw_blocks)

BOOST_AUTO_TEST_CASE(record_that_fits_is_not_split) {
    using Sizes = std::vector<uint32_t>;
    BOOST_TEST(borders({}) == Sizes{});
    BOOST_TEST(borders({100, 200}) == Sizes{300});
    BOOST_TEST(borders({0xff00}) == Sizes{0xff00});
    BOOST_TEST(borders({0xff00, 1}) == (Sizes{0xff00, 1}));
    BOOST_TEST(borders({1, 0xff00}) == (Sizes{1, 0xff00}));
    BOOST_TEST(borders({0xfeff, 1, 1}) == (Sizes{0xff00, 1}));
    BOOST_TEST(borders({0xfe00, 0x200, 7}) == (Sizes{0xfe00, 0x207}));
}

BOOST_AUTO_TEST_CASE(longer_record_starts_a_block_and_shares_its_last) {
    using Sizes = std::vector<uint32_t>;
    BOOST_TEST(borders({0xff01}) == (Sizes{0xff00, 1}));
    BOOST_TEST(borders({10, 0xff01, 20}) == (Sizes{10, 0xff00, 21}));
    BOOST_TEST(borders({2 * 0xff00, 5}) == (Sizes{0xff00, 0xff00, 5}));
    BOOST_TEST(borders({2 * 0xff00 + 1, 0xfeff, 3}) == (Sizes{0xff00, 0xff00, 0xff00, 3}));
}

BOOST_AUTO_TEST_CASE(every_payload_fits_a_block_at_every_level) {
    std::mt19937_64 random(1);
    for (Backend backend : own_backends()) {
        const int highest = backend == Backend::kIsal ? 1 : 12;
        for (int level = 0; level <= highest; ++level) {
            const auto encoder = make_block_encoder(backend, level);
            for (size_t n :
                 {size_t{1}, size_t{2}, size_t{100}, size_t{4096}, kMaxPayload - 1, kMaxPayload}) {
                for (int kinds : {1, 4, 256}) {  // of byte values: 256 cannot be compressed
                    Bytes payload(n);
                    for (auto& b : payload) b = static_cast<uint8_t>(random() % kinds);
                    Bytes block(kMaxBlockBytes), back;
                    const size_t size = encoder->encode(payload, block.data());
                    BOOST_TEST_REQUIRE(size <= kMaxBlockBytes);
                    BOOST_TEST_REQUIRE(size <= n + 5 + kBlockFrameBytes);
                    BOOST_TEST(inflate_block(block.data(), size, back) == size);
                    BOOST_TEST((back == payload));
                    // BTYPE 00 is a stored block.
                    if (level == 0) BOOST_TEST((block[18] & 6) == 0);
                }
            }
        }
    }
}

BOOST_AUTO_TEST_CASE(equal_payloads_give_equal_blocks_whatever_the_encoder_did_before) {
    const Bytes payload = make_record("x", kMaxPayload, 1);
    for (Backend backend : own_backends()) {
        Bytes first;
        for (int fill : {0, 1, 7, 15, 255}) {
            // Memory that an encoder may get and leave as it is.
            std::free(std::memset(std::malloc(1 << 19), fill, 1 << 19));
            std::free(std::memset(std::malloc(1 << 17), fill, 1 << 17));
            const auto encoder = make_block_encoder(backend, 1);
            for (int i = 0; i < 3; ++i) {
                Bytes block(kMaxBlockBytes), other(kMaxBlockBytes);
                encoder->encode(make_record("y", kMaxPayload - fill, fill), other.data());
                block.resize(encoder->encode(payload, block.data()));
                if (first.empty()) first = block;
                BOOST_TEST((block == first));
            }
        }
    }
}

BOOST_AUTO_TEST_CASE(eof_block_is_an_empty_block) {
    Bytes back;
    BOOST_TEST(inflate_block(kEofBlock.data(), kEofBlock.size(), back) == kEofBlock.size());
    BOOST_TEST(back.empty());
}

BOOST_AUTO_TEST_CASE(block_size_of_what_is_no_block_is_0) {
    Bytes header(kEofBlock.begin(), kEofBlock.begin() + 18);
    BOOST_TEST(framed_block_size(header.data()) == 28u);
    for (size_t i : {0, 1, 2, 3, 10, 11, 12, 13, 14, 15}) {
        Bytes damaged = header;
        ++damaged[i];
        BOOST_TEST(framed_block_size(damaged.data()) == 0u);
    }
    header[16] = 25;  // the frame alone
    BOOST_TEST(framed_block_size(header.data()) == 0u);
}

BOOST_AUTO_TEST_CASE(options_out_of_range_are_refused) {
    const auto code = [](const Options& options) {
        try {
            resolve_backend(options);
        } catch (const Error& e) {
            return e.code();
        }
        return ErrorCode::kInternal;
    };
    BOOST_TEST((code({.level = 13}) == ErrorCode::kUsage));
    BOOST_TEST((code({.level = -2}) == ErrorCode::kUsage));
    BOOST_TEST((code({.workers = -1}) == ErrorCode::kUsage));
    BOOST_TEST((code({.workers = kMaxWorkers + 1}) == ErrorCode::kUsage));
    BOOST_TEST((code({.window = 0}) == ErrorCode::kUsage));
    BOOST_CHECK_THROW(parse_backend("zopfli"), Error);
    const auto all = available_backends();
    for (Backend backend : {Backend::kHtslib, Backend::kLibdeflate, Backend::kIsal}) {
        BOOST_TEST((parse_backend(backend_name(backend)) == backend));
        if (std::find(all.begin(), all.end(), backend) == all.end()) {
            BOOST_TEST((code({.backend = backend}) == ErrorCode::kUnsupported));
        } else if (backend != Backend::kLibdeflate) {
            BOOST_TEST((code({.backend = backend, .level = 10}) == ErrorCode::kUsage));
        }
    }
}

BOOST_AUTO_TEST_CASE(auto_takes_the_fastest_that_has_the_level) {
    const auto all = available_backends();
    const auto built_in = [&](Backend b) {
        return std::find(all.begin(), all.end(), b) != all.end();
    };
    BOOST_TEST((resolve_backend({.level = 1}) == all.front()));
    if (built_in(Backend::kLibdeflate)) {
        for (int level : {-1, 0, 2, 6, 9, 10, 12}) {
            BOOST_TEST((resolve_backend({.level = level}) == Backend::kLibdeflate));
        }
    } else if (built_in(Backend::kHtslib)) {
        BOOST_TEST((resolve_backend({.level = 6}) == Backend::kHtslib));
    }
}

BOOST_AUTO_TEST_SUITE_END()
