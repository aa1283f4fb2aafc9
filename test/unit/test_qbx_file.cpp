// The container of a .qbx: what was written is read, on first touch and remotely; what is
// damaged, cut, unknown or hostile is refused or makes no difference.
#include <boost/test/unit_test.hpp>
#include <cstring>
#include <fstream>
#include <random>
#include <thread>

#include "bam_maker.hpp"
#include "checksum.hpp"
#include "format_qbx.hpp"
#include "le_bytes.hpp"
#include "qbix/error.hpp"
#include "qbx_file.hpp"
#include "qbx_writer.hpp"
#include "scaled.hpp"

namespace {

using namespace qbix;
using namespace qbix::test;
using qbx::Kind;

const qbx::Identity kIdentity{
    {123456, 99, 0xabcdef}, 77, true, 123428, {{10, 20, 30}, {40, 50, 60}}};

std::vector<uint8_t> random_bytes(size_t n, unsigned seed) {
    std::mt19937 random(seed);
    std::vector<uint8_t> bytes(n);
    for (uint8_t& byte : bytes) byte = static_cast<uint8_t>(random());
    return bytes;
}

// Writes the identity and, of those that are not empty, the other two sections.
void write_qbx(const std::string& path, const std::vector<uint8_t>& blocks,
               const std::vector<uint8_t>& names, bool reversed = false) {
    OutputFile file(path);
    QbxWriter writer(file);
    if (!reversed) writer.add_section(Kind::kBlocks, blocks);
    writer.add_section(Kind::kBam, qbx::encode_identity(kIdentity));
    writer.add_section(Kind::kNames, names);
    if (reversed) writer.add_section(Kind::kBlocks, blocks);
    writer.finish();
    file.commit();
}

std::vector<uint8_t> bytes_of(const QbxFile& file, Kind kind) {
    const auto section = file.open_section(kind);
    BOOST_REQUIRE(section);
    const uint8_t* data = section->view(0, section->size_bytes());
    return {data, data + section->size_bytes()};
}

ErrorCode code_of(const std::function<void()>& f) {
    try {
        f();
    } catch (const Error& e) {
        return e.code();
    }
    BOOST_FAIL("no error");
    return ErrorCode::kUsage;
}

}  // namespace

BOOST_AUTO_TEST_SUITE(qbx_file)

BOOST_AUTO_TEST_CASE(sections_are_read_back_at_all_sizes) {
    TempDir dir;
    for (const size_t n : {0, 1, 63, 64, 65, 65535, 65536, 65537, 131072, 200001})
        for (const bool map_local : {true, false}) {
            const auto blocks = random_bytes(n, 1), names = random_bytes(n / 2 + 1, 2);
            write_qbx(dir / "x", blocks, names, n % 2 == 0);
            const QbxFile file(dir / "x", map_local);
            BOOST_TEST((file.identity() == kIdentity));
            BOOST_TEST((bytes_of(file, Kind::kBlocks) == blocks));
            BOOST_TEST((bytes_of(file, Kind::kNames) == names));
            const auto preloaded = file.open_section(Kind::kNames);
            preloaded->preload();
            BOOST_TEST(std::memcmp(preloaded->view(0, names.size()), names.data(), names.size()) ==
                       0);
            BOOST_TEST(
                (code_of([&] { preloaded->view(names.size(), 1); }) == ErrorCode::kBadIndex));
            BOOST_TEST((code_of([&] { preloaded->touch(2, UINT64_MAX); }) == ErrorCode::kBadIndex));
        }
}

// More than 8,192 chunks, so that the checksums are more than a chunk and have their own.
BOOST_AUTO_TEST_CASE(checksums_of_checksums) {
    if (qbix_test::kSanitizerSlowdown > 1) return;  // half a gigabyte is summed
    TempDir dir;
    const uint64_t n_chunks = 8200, n_bytes = n_chunks * 65536 - 5;
    {
        OutputFile file(dir / "x");  // sparse: a hole reads as zeros
        QbxWriter writer(file);
        writer.add_section(Kind::kBam, qbx::encode_identity(kIdentity));
        ByteSink& sink = writer.begin_section(Kind::kNames);
        sink.write_at(n_bytes - 1, std::vector<uint8_t>{7});
        writer.end_section(n_bytes);
        writer.finish();
        file.commit();
    }
    BOOST_TEST(qbx::sums_size_bytes(n_bytes) == n_chunks * 8 + 16);
    {
        const QbxFile file(dir / "x");
        const auto section = file.open_section(Kind::kNames);
        BOOST_TEST(*section->view(n_bytes - 1, 1) == 7);
        BOOST_TEST(*section->view(5, 1) == 0);
        BOOST_TEST(*section->view(4000 * uint64_t{65536}, 1) == 0);
    }
    // A flip in either level.
    const uint64_t table = 64 + 128 + n_bytes;
    for (const uint64_t at : {table + 5, table + 8190 * 8, table + n_chunks * 8 + 3}) {
        const auto flip = [&] {
            std::fstream file(dir / "x", std::ios::binary | std::ios::in | std::ios::out);
            const int byte = file.seekg(static_cast<std::streamoff>(at)).get();
            file.seekp(static_cast<std::streamoff>(at)).put(static_cast<char>(byte ^ 4));
        };
        flip();
        {
            const QbxFile file(dir / "x");
            const auto section = file.open_section(Kind::kNames);
            BOOST_TEST((code_of([&] {
                            section->view(0, 1);
                            section->view(8190 * uint64_t{65536}, 1);
                        }) == ErrorCode::kBadIndex));
        }
        flip();
    }
}

BOOST_AUTO_TEST_CASE(every_byte_flipped) {
    TempDir dir;
    const auto blocks = random_bytes(300, 1), names = random_bytes(66000, 2);
    write_qbx(dir / "x", blocks, names);
    const auto whole = read_file(dir / "x");
    size_t n_unnoticed = 0;
    for (size_t at = 0; at < whole.size(); at += at < 600 || at > 66000 ? 1 : 97) {
        auto damaged = whole;
        damaged[at] ^= 1U << at * 5 % 8;
        write_file(dir / "y", damaged);
        try {
            const QbxFile file(dir / "y", at % 2 == 0);
            BOOST_REQUIRE((file.identity() == kIdentity));
            const auto got_blocks = bytes_of(file, Kind::kBlocks);
            const auto got_names = bytes_of(file, Kind::kNames);
            BOOST_REQUIRE((got_blocks == blocks && got_names == names));
            ++n_unnoticed;  // between sections
        } catch (const Error& e) {
            BOOST_REQUIRE(e.code() == ErrorCode::kBadIndex || e.code() == ErrorCode::kNotIndex);
        }
    }
    BOOST_TEST(n_unnoticed < 200);
}

BOOST_AUTO_TEST_CASE(cut_at_every_length_and_longer) {
    TempDir dir;
    write_qbx(dir / "x", random_bytes(100, 1), random_bytes(100, 2));
    auto bytes = read_file(dir / "x");
    for (size_t n = 0; n < bytes.size(); ++n) {
        write_file(dir / "y", std::span(bytes).first(n));
        BOOST_CHECK_THROW(QbxFile(dir / "y"), Error);
    }
    bytes.push_back(0);
    write_file(dir / "y", bytes);
    BOOST_CHECK_THROW(QbxFile(dir / "y"), Error);
}

BOOST_AUTO_TEST_CASE(unknown_sections) {
    TempDir dir;
    for (const bool is_required : {false, true}) {
        OutputFile file(dir / "x");
        QbxWriter writer(file);
        writer.add_section(static_cast<Kind>(0x21212121), random_bytes(70000, 1), is_required);
        writer.add_section(Kind::kBam, qbx::encode_identity(kIdentity));
        writer.finish();
        file.commit();
        if (is_required) {
            BOOST_TEST((code_of([&] { QbxFile f(dir / "x"); }) == ErrorCode::kNotIndex));
        } else {
            const QbxFile opened(dir / "x");
            BOOST_TEST((opened.identity() == kIdentity));
            BOOST_TEST(!opened.open_section(Kind::kNames));
        }
    }
}

BOOST_AUTO_TEST_CASE(a_section_that_comes_twice_or_is_missing) {
    TempDir dir;
    for (const int n_identities : {0, 2}) {
        OutputFile file(dir / "x");
        QbxWriter writer(file);
        for (int i = 0; i < n_identities; ++i)
            writer.add_section(Kind::kBam, qbx::encode_identity(kIdentity));
        writer.finish();
        file.commit();
        BOOST_TEST((code_of([&] { QbxFile f(dir / "x"); }) == ErrorCode::kBadIndex));
    }
}

// Every number of the head and the table of contents, with the checksums made right again.
BOOST_AUTO_TEST_CASE(hostile_numbers) {
    TempDir dir;
    const auto blocks = random_bytes(70000, 1), names = random_bytes(100, 2);
    write_qbx(dir / "x", blocks, names);
    const auto whole = read_file(dir / "x");
    const uint64_t toc_place = load_le<uint64_t>(&whole[16]);
    const auto seal = [&](std::vector<uint8_t>& bytes) {
        store_le(&bytes[32], checksum_of({bytes.data() + toc_place, bytes.size() - toc_place}));
        store_le(&bytes[56], checksum_of({bytes.data(), 56}));
    };
    const auto use = [&](const std::vector<uint8_t>& bytes) {
        write_file(dir / "y", bytes);
        try {
            const QbxFile file(dir / "y");
            for (const Kind kind : {Kind::kBlocks, Kind::kNames})
                if (const auto section = file.open_section(kind)) section->touch_all();
        } catch (const Error&) {
        }
    };
    std::vector<size_t> places{4, 8, 16, 24, 40, 48};
    for (size_t at = toc_place; at < whole.size(); at += 8) places.push_back(at);
    for (const size_t at : places)
        for (const uint64_t value :
             {uint64_t{0}, UINT64_MAX, uint64_t{1} << 63, uint64_t{1} << 40, uint64_t{64},
              uint64_t{65537}, static_cast<uint64_t>(whole.size()), UINT64_MAX - 63}) {
            auto damaged = whole;
            store_le(&damaged[at], value);
            seal(damaged);
            use(damaged);
        }
}

BOOST_AUTO_TEST_CASE(many_threads_touch_one_section) {
    TempDir dir;
    const auto names = random_bytes(1 << 20, 3);
    write_qbx(dir / "x", {}, names);
    for (const bool map_local : {true, false}) {
        const QbxFile file(dir / "x", map_local);
        const auto section = file.open_section(Kind::kNames);
        std::atomic<int> n_wrong{0};
        std::vector<std::thread> threads;
        for (unsigned t = 0; t < 4; ++t)
            threads.emplace_back([&, t] {
                std::mt19937 random(t);
                for (int i = 0; i < 300; ++i) {
                    const size_t at = random() % (names.size() - 100);
                    n_wrong += std::memcmp(section->view(at, 100), &names[at], 100) != 0;
                }
            });
        for (auto& thread : threads) thread.join();
        BOOST_TEST(n_wrong == 0);
    }
}

BOOST_AUTO_TEST_SUITE_END()
