// A whole .qbx of a small BAM: the same answers as a scan, in all ways of making it; damaged,
// cut, reordered or hostile it gives an error or the right answer, never another one.
#include <algorithm>
#include <boost/test/data/test_case.hpp>
#include <boost/test/unit_test.hpp>
#include <map>
#include <random>

#include "bam_maker.hpp"
#include "checksum.hpp"
#include "format_qbx.hpp"
#include "le_bytes.hpp"
#include "qbix/error.hpp"
#include "qbix/index_builder.hpp"
#include "qbix/index_check.hpp"
#include "qbix/index_collector.hpp"
#include "qbix/name_hash.hpp"
#include "qbix/name_lookup.hpp"
#include "qbix/qbx_index.hpp"
#include "qbx_file.hpp"
#include "qbx_writer.hpp"

namespace {

using namespace qbix;
using namespace qbix::test;

constexpr uint64_t kLittleMemory = uint64_t{16} << 20;

using Records = std::map<std::string, std::vector<VirtualOffset>>;

// A BAM with the names given, one record each, in blocks that `next_size` cuts.
struct Fixture {
    TempDir dir;
    std::string bam_path = dir / "a.bam";
    std::string index_path = dir / "a.bam.qbx";
    Records records;

    Fixture(const std::vector<std::string>& names, const std::function<size_t()>& next_size) {
        BamMaker maker;
        for (const std::string& name : names) maker.add(name, 5);
        write_file(bam_path, maker.file(next_size));
        const auto rows = rows_by_htslib(bam_path);
        for (size_t i = 0; i < rows.size(); ++i) records[names[i]].push_back(rows[i].voffset);
    }

    std::vector<uint8_t> build(const BuildOptions& options = {}) const {
        BuildOptions wanted = options;
        wanted.index_path = index_path;
        build_index(bam_path, wanted);
        return read_file(index_path);
    }
};

std::vector<std::string> small_names() {
    std::vector<std::string> names;
    for (int i = 0; i < 40; ++i)
        for (int k = 0; k <= i % 4; ++k) names.push_back("read" + std::to_string(i * 7 % 40));
    return names;
}

size_t cut_at_600() { return 600; }

// Asks for every name, and for absent ones. Returns whether there was any Error; a wrong answer
// fails the test.
bool answers_are_right_or_errors(const std::string& index_path, const BamFile& bam,
                                 const Records& records) {
    try {
        const QbxIndex index(index_path);
        NameFetcher fetcher(index, bam);
        bool is_good = true;
        const auto ask = [&](const std::string& name, const std::vector<VirtualOffset>& wanted) {
            try {
                std::vector<VirtualOffset> got;
                fetch_name(index, fetcher, name, [&](const RecordView& record) {
                    BOOST_REQUIRE(record.qname() == name);
                    got.push_back(record.voffset);
                });
                BOOST_REQUIRE(got == wanted);
            } catch (const Error&) {
                is_good = false;
            }
        };
        for (const auto& entry : records) ask(entry.first, entry.second);
        for (int i = 0; i < 10; ++i) ask("absent" + std::to_string(i), {});
        return is_good;
    } catch (const Error&) {
        return false;
    }
}

bool full_check_passes(const std::string& index_path, const BamFile& bam) {
    try {
        check_full(QbxIndex(index_path), bam, 1, kLittleMemory, nullptr);
        return true;
    } catch (const Error&) {
        return false;
    }
}

}  // namespace

BOOST_AUTO_TEST_SUITE(qbx_index)

BOOST_AUTO_TEST_CASE(answers_of_all_kinds_of_files) {
    std::mt19937 random(11);
    const auto names = [&](size_t n_records, size_t n_names) {
        std::vector<std::string> list;
        for (size_t i = 0; i < n_records; ++i)
            list.push_back("r" + std::to_string(random() % n_names));
        return list;
    };
    const auto hundred = []() -> size_t { return 100; };
    const auto some_empty = [&]() -> size_t { return random() % 3 == 0 ? 0 : random() % 900; };
    for (const auto& next_size : std::initializer_list<std::function<size_t()>>{
             hundred, some_empty, []() -> size_t { return 0xff00; }})
        for (const auto& list :
             {names(0, 1), names(1, 1), names(700, 1), names(700, 100000), names(3000, 900)}) {
            const Fixture f(list, next_size);
            for (const unsigned bits : {16U, 24U, 32U}) {
                BuildOptions options;
                options.remainder_bits = bits;
                f.build(options);
                const BamFile bam(f.bam_path);
                BOOST_REQUIRE(answers_are_right_or_errors(f.index_path, bam, f.records));
                BOOST_REQUIRE(full_check_passes(f.index_path, bam));
            }
        }
}

BOOST_AUTO_TEST_CASE(the_same_bytes_in_every_way) {
    std::mt19937 random(5);
    std::vector<std::string> names;
    for (int i = 0; i < 30000; ++i) names.push_back("read:" + std::to_string(random() % 12000));
    const Fixture f(names, []() -> size_t { return 3000; });
    const auto wanted = f.build();
    BuildOptions options;
    options.n_threads = 3;
    options.memory_bytes = kLittleMemory;
    BOOST_TEST((f.build(options) == wanted));

    options.index_path = f.dir / "collected";
    IndexCollector collector(options);
    const auto rows = rows_by_htslib(f.bam_path);
    for (size_t i = 0; i < rows.size(); ++i) collector.add(names[i], rows[i].voffset);
    const BuildReport report = collector.finish(f.bam_path);
    BOOST_TEST(report.n_records == names.size());
    BOOST_TEST((read_file(options.index_path) == wanted));

    for (const IndexFormat format : {IndexFormat::kQbi1, IndexFormat::kQbi2}) {
        options.index_path = f.dir / "from";
        options.format = format;
        build_index(f.bam_path, options);
        options.index_path = f.dir / "converted";
        options.format = IndexFormat::kQbx;
        convert_index(f.dir / "from", f.bam_path, options);
        BOOST_TEST((read_file(options.index_path) == wanted));
    }
}

BOOST_AUTO_TEST_CASE(every_byte_flipped) {
    const Fixture f(small_names(), cut_at_600);
    const auto whole = f.build();
    const BamFile bam(f.bam_path);
    BOOST_REQUIRE(answers_are_right_or_errors(f.index_path, bam, f.records));
    BOOST_REQUIRE(full_check_passes(f.index_path, bam));
    for (size_t at = 0; at < whole.size(); ++at) {
        auto damaged = whole;
        damaged[at] ^= 1U << at * 5 % 8;
        write_file(f.index_path, damaged);
        const bool is_good = answers_are_right_or_errors(f.index_path, bam, f.records);
        // What is left is between the sections.
        if (at < 64) BOOST_REQUIRE(!is_good);
        if (full_check_passes(f.index_path, bam)) BOOST_REQUIRE(is_good && whole[at] == 0);
    }
}

BOOST_AUTO_TEST_CASE(cut_at_every_length) {
    const Fixture f(small_names(), cut_at_600);
    const auto whole = f.build();
    for (size_t n = 0; n < whole.size(); ++n) {
        write_file(f.index_path, std::span(whole).first(n));
        BOOST_CHECK_THROW(QbxIndex{f.index_path}, Error);
    }
}

// The parts in another order, with an unknown one among them.
BOOST_AUTO_TEST_CASE(sections_reordered) {
    const Fixture f(small_names(), cut_at_600);
    f.build();
    const BamFile bam(f.bam_path);
    const auto section = [](const QbxFile& file, qbx::Kind kind) {
        const auto opened = file.open_section(kind);
        const uint8_t* data = opened->view(0, opened->size_bytes());
        return std::vector<uint8_t>(data, data + opened->size_bytes());
    };
    const QbxFile old(f.index_path);
    std::vector<qbx::Kind> kinds{qbx::Kind::kBam, qbx::Kind::kBlocks, qbx::Kind::kNames};
    std::sort(kinds.begin(), kinds.end());
    do {
        OutputFile file(f.dir / "other");
        QbxWriter writer(file);
        for (const qbx::Kind kind : kinds) writer.add_section(kind, section(old, kind));
        writer.add_section(static_cast<qbx::Kind>(0x58585858), std::vector<uint8_t>(100, 7), false);
        writer.finish();
        file.commit();
        BOOST_TEST(answers_are_right_or_errors(f.dir / "other", bam, f.records));
        BOOST_TEST(full_check_passes(f.dir / "other", bam));
    } while (std::next_permutation(kinds.begin(), kinds.end()));
}

// Numbers inside the sections, with all checksums made right again. Such a file may lead to
// other records, but a record is only ever given for its own name.
BOOST_AUTO_TEST_CASE(hostile_numbers) {
    const Fixture f(small_names(), cut_at_600);
    const auto whole = f.build();
    const BamFile bam(f.bam_path);
    const QbxFile old(f.index_path);
    const uint64_t toc_place = load_le<uint64_t>(&whole[16]);
    const auto seal = [&](std::vector<uint8_t>& bytes) {
        for (size_t at = toc_place; at < bytes.size(); at += 40)
            store_le(&bytes[at + 32], checksum_of({&bytes[load_le<uint64_t>(&bytes[at + 8])],
                                                   load_le<uint64_t>(&bytes[at + 16])}));
        store_le(&bytes[32], checksum_of({&bytes[toc_place], bytes.size() - toc_place}));
        store_le(&bytes[56], checksum_of({bytes.data(), 56}));
    };
    std::mt19937_64 random(3);
    for (size_t at = 64; at + 8 <= toc_place; at += 4)
        for (const uint64_t value : {UINT64_MAX, uint64_t{1} << 63, random(), random() >> 40}) {
            auto damaged = whole;
            store_le(&damaged[at], value);
            seal(damaged);
            write_file(f.index_path, damaged);
            try {
                const QbxIndex index(f.index_path);
                NameFetcher fetcher(index, bam);
                for (const auto& entry : f.records) try {
                        const std::string& name = entry.first;
                        fetch_name(index, fetcher, name, [&](const RecordView& record) {
                            BOOST_REQUIRE(record.qname() == name);
                        });
                    } catch (const Error&) {
                    }
            } catch (const Error&) {
            }
            full_check_passes(f.index_path, bam);
        }
}

BOOST_AUTO_TEST_CASE(an_index_of_another_file_is_refused) {
    const Fixture ours(small_names(), cut_at_600);
    ours.build();
    // The same size and header, other records.
    auto bytes = read_file(ours.bam_path);
    const size_t n_header = 200;
    for (size_t at = n_header; at < bytes.size(); at += bytes.size() / 7) {
        auto other = bytes;
        other[at] ^= 1;
        write_file(ours.dir / "b.bam", other);
        const BamFile bam(ours.dir / "b.bam");
        const QbxIndex index(ours.index_path);
        // Samples may miss the place; a look at everything does not.
        BOOST_TEST(!full_check_passes(ours.index_path, bam));
    }
    bytes.push_back(0);
    write_file(ours.bam_path, bytes);
    BOOST_CHECK_EXCEPTION(check_belongs(QbxIndex(ours.index_path), BamFile(ours.bam_path)), Error,
                          [](const Error& e) { return e.code() == ErrorCode::kForeignIndex; });
}

BOOST_AUTO_TEST_SUITE_END()
