// Fetching and scanning through workers: same output for any number of threads, everything
// before a fault, and no hang when any part fails.

#include <boost/test/data/test_case.hpp>
#include <boost/test/unit_test.hpp>
#include <random>
#include <set>
#include <thread>

#include "bam_maker.hpp"
#include "ordered_output.hpp"
#include "qbix/error.hpp"
#include "qbix/index_builder.hpp"
#include "qbix/record_pipeline.hpp"

namespace {

using namespace qbix;
using namespace qbix::test;

const size_t kThreads[] = {1, 2, 6};

// Puts out "name,offset\n"; throws at the record named `bad`.
class NamingWorker : public RecordWorker {
   public:
    explicit NamingWorker(std::string bad) : bad_(std::move(bad)) {}
    void process(const RecordView& record, std::vector<uint8_t>& out) override {
        if (!bad_.empty() && record.qname() == bad_) throw Error(ErrorCode::kIo, "bad record");
        const std::string line =
            std::string(record.qname()) + "," + std::to_string(record.voffset.value) + "\n";
        out.insert(out.end(), line.begin(), line.end());
    }

   private:
    std::string bad_;
};

MakeRecordWorker naming(const std::string& bad = "") {
    return [bad] { return std::make_unique<NamingWorker>(bad); };
}

struct Output {
    std::string text;
    std::string error;
    RecordSink sink() {
        return [this](std::span<const uint8_t> bytes) { text.append(bytes.begin(), bytes.end()); };
    }
};

PipelineOptions with_threads(size_t n_threads, uint64_t memory_bytes = 1000) {
    PipelineOptions options;
    options.n_threads = n_threads;
    options.memory_bytes = memory_bytes;
    return options;
}

Output scan(const std::string& path, size_t n_threads, const std::string& bad = "") {
    Output output;
    try {
        scan_records(BamFile(path), naming(bad), output.sink(), with_threads(n_threads));
    } catch (const Error& error) {
        output.error = error.what();
    }
    return output;
}

NameList list_of(const std::set<std::string>& names) {
    NameList list;
    for (const auto& name : names) list.add(name);
    return list;
}

Output fetch(const std::string& path, const std::set<std::string>& names, size_t n_threads,
             const std::string& bad = "", const std::string& suffix = ".qbx") {
    Output output;
    try {
        const BamFile bam(path);
        const auto index = open_name_index(path + suffix);
        const NameList list = list_of(names);
        const auto candidates = find_candidates(*index, list);
        fetch_records(*index, bam, candidates, list, naming(bad), output.sink(),
                      with_threads(n_threads));
    } catch (const Error& error) {
        output.error = error.what();
    }
    return output;
}

// The lines of `text` whose name is in `names`.
std::string only(const std::string& text, const std::set<std::string>& names) {
    std::string kept;
    for (size_t begin = 0; begin < text.size();) {
        const size_t end = text.find('\n', begin) + 1;
        if (names.count(text.substr(begin, text.find(',', begin) - begin)))
            kept += text.substr(begin, end - begin);
        begin = end;
    }
    return kept;
}

struct IndexedBam {
    TempDir dir;
    std::string path = dir / "a.bam";
    explicit IndexedBam(size_t block_bytes, int n_records = 5000) {
        BamMaker maker;
        std::mt19937 random(1);
        for (int i = 0; i < n_records; ++i)
            maker.add("r" + std::to_string(i / 2), i == 100 ? 200000 : random() % 90);
        maker.write(path, block_bytes);
        for (const IndexFormat format : {IndexFormat::kQbi2, IndexFormat::kQbx}) {
            BuildOptions options;
            options.format = format;
            build_index(path, options);
        }
    }
};

}  // namespace

BOOST_AUTO_TEST_SUITE(record_pipeline)

BOOST_DATA_TEST_CASE(fetch_equals_filtered_scan, boost::unit_test::data::make(kThreads),
                     n_threads) {
    for (const size_t block_bytes : {300, 5000, 0xff00}) {
        const IndexedBam bam(block_bytes);
        const Output all = scan(bam.path, n_threads);
        BOOST_TEST(all.error == "");
        BOOST_TEST(std::count(all.text.begin(), all.text.end(), '\n') == 5000);
        BOOST_TEST((scan(bam.path, 1).text == all.text));
        for (const int step : {1, 3, 500}) {
            std::set<std::string> names{"absent"};
            for (int i = 0; i < 2500; i += step) names.insert("r" + std::to_string(i));
            for (const char* suffix : {".qbi", ".qbx"}) {
                const Output some = fetch(bam.path, names, n_threads, "", suffix);
                BOOST_TEST(some.error == "");
                BOOST_TEST((some.text == only(all.text, names)));
            }
        }
        BOOST_TEST(fetch(bam.path, {"absent"}, n_threads).text == "");
    }
}

BOOST_DATA_TEST_CASE(everything_before_a_failing_record, boost::unit_test::data::make(kThreads),
                     n_threads) {
    const IndexedBam bam(2000);
    const std::string all = scan(bam.path, 1).text;
    const std::string before = all.substr(0, all.find("r1234,"));
    const Output scanned = scan(bam.path, n_threads, "r1234");
    BOOST_TEST(scanned.error == "bad record");
    BOOST_TEST((scanned.text == before));
    std::set<std::string> names;
    for (int i = 0; i < 2500; ++i) names.insert("r" + std::to_string(i));
    const Output fetched = fetch(bam.path, names, n_threads, "r1234");
    BOOST_TEST(fetched.error == "bad record");
    BOOST_TEST((fetched.text == before));
}

BOOST_DATA_TEST_CASE(everything_before_a_cut, boost::unit_test::data::make(kThreads), n_threads) {
    const IndexedBam bam(3000);
    const auto whole = read_file(bam.path);
    const std::string all = scan(bam.path, 1).text;
    for (const size_t n : {whole.size() / 2, whole.size() * 3 / 4, whole.size() - 29}) {
        write_file(bam.path, std::span(whole).first(n));
        const Output one = scan(bam.path, 1), many = scan(bam.path, n_threads);
        BOOST_TEST(one.error != "");
        BOOST_TEST(one.error == many.error);
        BOOST_TEST((one.text == many.text));
        BOOST_TEST((all.compare(0, one.text.size(), one.text) == 0));
    }
}

BOOST_DATA_TEST_CASE(a_failing_sink_ends_everything, boost::unit_test::data::make(kThreads),
                     n_threads) {
    const IndexedBam bam(1000, 20000);
    int n_calls = 0;
    const RecordSink sink = [&](std::span<const uint8_t>) {
        if (++n_calls == 3) throw Error(ErrorCode::kIo, "disk full");
    };
    BOOST_CHECK_THROW(scan_records(BamFile(bam.path), naming(), sink, with_threads(n_threads)),
                      Error);
    const auto index = open_name_index(bam.path + ".qbx");
    std::set<std::string> names;
    for (int i = 0; i < 10000; ++i) names.insert("r" + std::to_string(i));
    const NameList list = list_of(names);
    n_calls = 0;
    BOOST_CHECK_THROW(fetch_records(*index, BamFile(bam.path), find_candidates(*index, list), list,
                                    naming(), sink, with_threads(n_threads)),
                      Error);
}

BOOST_DATA_TEST_CASE(cancelled, boost::unit_test::data::make(kThreads), n_threads) {
    const IndexedBam bam(1000, 20000);
    std::atomic<bool> cancel{false};
    int n_calls = 0;
    const RecordSink sink = [&](std::span<const uint8_t>) { cancel = ++n_calls > 2; };
    PipelineOptions options = with_threads(n_threads);
    options.cancel = &cancel;
    BOOST_CHECK_EXCEPTION(scan_records(BamFile(bam.path), naming(), sink, options), Error,
                          [](const Error& e) { return e.code() == ErrorCode::kCancelled; });
}

BOOST_AUTO_TEST_CASE(ordered_output_in_any_order_of_arrival) {
    std::string text;
    OrderedOutput output([&](std::span<const uint8_t> b) { text.append(b.begin(), b.end()); }, 64);
    std::vector<std::thread> threads;
    for (unsigned t = 0; t < 4; ++t)
        threads.emplace_back([&output, t] {
            for (uint64_t i = t; i < 4000; i += 4) {
                const std::string number = std::to_string(i) + " ";
                std::vector<uint8_t> bytes(number.begin(), number.end());
                if (i % 7 == 0) bytes.clear();
                output.submit(i, bytes);
            }
        });
    for (auto& thread : threads) thread.join();
    std::string expected;
    for (int i = 0; i < 4000; ++i)
        if (i % 7 != 0) expected += std::to_string(i) + " ";
    BOOST_TEST((text == expected));
}

BOOST_AUTO_TEST_CASE(ordered_output_ends_at_the_lowest_last) {
    std::string text;
    OrderedOutput output([&](std::span<const uint8_t> b) { text.append(b.begin(), b.end()); }, 64);
    const auto submit = [&](uint64_t number, bool is_last) {
        std::vector<uint8_t> bytes{static_cast<uint8_t>('a' + number)};
        return output.submit(number, bytes, is_last);
    };
    BOOST_TEST(submit(3, true));
    BOOST_TEST(submit(1, true));
    BOOST_TEST(submit(2, false));
    BOOST_TEST(!submit(0, false));
    BOOST_TEST(text == "ab");
    BOOST_TEST(!submit(4, false));
}

BOOST_AUTO_TEST_SUITE_END()
