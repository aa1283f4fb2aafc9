// test_bgzfw_sam_line.cpp: where the direct SAM encoder takes a line, it makes what htslib's
// parser makes; and it takes the lines that aligners write.
#include <htslib/hts_log.h>
#include <htslib/kstring.h>

#include <boost/test/unit_test.hpp>
#include <optional>

#include "bgzfw/bam1.hpp"
#include "bgzfw_support.hpp"
#include "sam_line.hpp"

using namespace bgzfw;
using namespace bgzfw_test;

namespace {

class BothParsers {
   public:
    BothParsers()
        : references_(test_header()),
          quick_(references_),
          header_(sam_hdr_parse(std::strlen(kHeaderText), kHeaderText)),
          record_(bam_init1()) {
        hts_set_log_level(HTS_LOG_OFF);
    }
    ~BothParsers() {
        hts_set_log_level(HTS_LOG_WARNING);
        bam_destroy1(record_);
        sam_hdr_destroy(header_);
        ks_free(&line_);
    }

    std::optional<Bytes> quick(const std::string& line) {
        Bytes out(most_encoded_bytes(line.size()));
        out.resize(quick_.encode(line, out.data()));
        return out.empty() ? std::nullopt : std::optional(out);
    }

    std::optional<Bytes> htslib(const std::string& line) {
        ks_clear(&line_);
        kputsn(line.data(), line.size(), &line_);
        if (sam_parse1(&line_, header_, record_) < 0) return std::nullopt;
        Bytes out(bgzfw_bam1_size(record_));
        if (out.empty()) return std::nullopt;
        bgzfw_bam1_encode(record_, out.data(), out.size());
        return out;
    }

    // Whether the quick one took the line, which it must not do where they differ.
    bool agree(const std::string& line) {
        const auto ours = quick(line);
        if (ours && ours != htslib(line)) BOOST_ERROR("differs: " << line);
        return ours.has_value();
    }

   private:
    ReferenceNumbers references_;
    SamLineEncoder quick_;
    sam_hdr_t* header_;
    bam1_t* record_;
    kstring_t line_ = KS_INITIALIZE;
};

const std::vector<std::string> kUsual = {
    "r1\t99\tchr1\t7\t60\t8M2I4M1D3M\t=\t37\t39\tTTAGATAAAGGATACTG\t*",
    "r1\t147\tchr2\t536870000\t0\t9M\tchr1\t7\t-39\tCAGCGGCAT\t#I!~+-.<\"\tNM:i:1\tRG:Z:g 1",
    "r2\t4\t*\t0\t0\t*\t*\t0\t0\tACGTN\tIIIII\tXA:A:!\tXN:i:-1\tde:f:0.0123",
    "r3\t2064\tchr1\t9\t30\t6H5M\t*\t0\t0\tTAGGC\t*\tSA:Z:chr1,29,-,6H5M,17,0;\ts1:i:70000",
    "r4\t256\tchr1\t16\t3\t6M14N5M3S2P1=1X\t*\t0\t0\t*\t*\tX0:i:255\tX1:i:256\tX2:i:65535",
    "r5\t77\t*\t0\t0\t*\t*\t0\t0\t*\t*",
    "r6\t69\tchr1\t5\t0\t*\t=\t5\t0\tA\tI\tXi:i:-128\tXj:i:-129\tXk:i:-32768\tXl:i:-32769",
    "r7\t0\tchr1\t1\t255\t4M\t*\t0\t0\t=acg\t????\tXz:Z:\tXf:f:-1e-05\tXg:f:3",
    "r8\t16\tchr1\t1000\t1\t100N1M\t=\t1\t999999999\tR\t*\tXm:i:999999999\tXn:i:65536\tXo:i:0",
};

// Lines for which htslib warns, fails, or does more.
const std::vector<std::string> kUnusual = {
    "",
    "r\t0\tchr1",
    "\t0\tchr1\t1\t0\t1M\t*\t0\t0\tA\tI",
    "r\t0\tchr3\t1\t0\t1M\t*\t0\t0\tA\tI",
    "r\t0\tchr1\t0\t0\t1M\t*\t0\t0\tA\tI",
    "r\t0\t*\t0\t0\t1M\t*\t0\t0\tA\tI",
    "r\t0\tchr1\t1\t0\t*\t*\t0\t0\tA\tI",
    "r\t0\tchr1\t1\t0\t2M\t*\t0\t0\tA\tI",
    "r\t0\tchr1\t1\t0\t1M\t*\t0\t0\tA\tII",
    "r\t0\tchr1\t1\t0\t1M\t*\t0\t0\tA\t ",
    "r\t0\tchr1\t1\t0\t1M\tchr1\t0\t0\tA\tI",
    "r\t0\tchr1\t1\t0\t1M\tchr9\t1\t0\tA\tI",
    "r\t0\tchr1\t1\t256\t1M\t*\t0\t0\tA\tI",
    "r\t65536\tchr1\t1\t0\t1M\t*\t0\t0\tA\tI",
    "r\t0x1\tchr1\t1\t0\t1M\t*\t0\t0\tA\tI",
    "r\t017\tchr1\t1\t0\t1M\t*\t0\t0\tA\tI",
    "r\t0\tchr1\t1\t0\t0M1M\t*\t0\t0\tA\tI",
    "r\t0\tchr1\t1\t0\t1M3\t*\t0\t0\tA\tI",
    "r\t0\tchr1\t536870912\t0\t9M\t*\t0\t0\tAAAAAAAAA\t*",
    "r\t4\t*\t0\t0\t*\t*\t0\t0\tA\tI\t",
    "r\t4\t*\t0\t0\t*\t*\t0\t0\tA\tI\tNM:i:",
    "r\t4\t*\t0\t0\t*\t*\t0\t0\tA\tI\tNM:i:x",
    "r\t4\t*\t0\t0\t*\t*\t0\t0\tA\tI\tNM:i:4294967295",
    "r\t4\t*\t0\t0\t*\t*\t0\t0\tA\tI\tXB:B:c,1,2",
    "r\t4\t*\t0\t0\t*\t*\t0\t0\tA\tI\tXH:H:1A",
    "r\t4\t*\t0\t0\t*\t*\t0\t0\tA\tI\tXf:f:1.5x",
    "r\t4\t*\t0\t0\t*\t*\t0\t0\tA\tI\tXZ:Z:\x01",
    "r\t4\t*\t0\t0\t*\t*\t0\t0\tA\tI\t1M:i:1",
    "r\t0\tchr1\t1\t0\t2S2N\t*\t0\t0\tAA\tII\tCG:B:I,18",
};

std::string mutated(std::string line, std::mt19937_64& random) {
    static const std::string kBytes =
        "\t*=:,;-+.0123456789ACGTNacgtMIDNSHPX=iZAfBH!~ @\x7f\x80\xff";
    for (uint64_t n = 1 + random() % 3; n > 0 && !line.empty(); --n) {
        const size_t at = random() % line.size();
        switch (random() % 4) {
            case 0:
                line[at] = kBytes[random() % kBytes.size()];
                break;
            case 1:
                line.insert(at, 1, kBytes[random() % kBytes.size()]);
                break;
            case 2:
                line.erase(at, 1 + random() % 3);
                break;
            default: {  // a piece of another line
                const std::string& other = kUsual[random() % kUsual.size()];
                const size_t from = random() % other.size();
                line.replace(at, random() % 6, other.substr(from, random() % 12));
            }
        }
    }
    return line;
}

}  // namespace

BOOST_AUTO_TEST_SUITE(test_bgzfw_sam_line)

BOOST_AUTO_TEST_CASE(usual_lines_are_taken) {
    BothParsers both;
    for (const auto& line : kUsual) BOOST_TEST(both.agree(line), line);
}

BOOST_AUTO_TEST_CASE(unusual_lines_are_left_to_htslib) {
    BothParsers both;
    for (const auto& line : kUnusual) BOOST_TEST(!both.agree(line), line);
    BOOST_TEST(!both.agree(std::string("r\0\t4\t*\t0\t0\t*\t*\t0\t0\tA\tI", 22)));
    BOOST_TEST(!both.agree(std::string(255, 'r') + "\t4\t*\t0\t0\t*\t*\t0\t0\tA\tI"));
    BOOST_TEST(both.agree(std::string(254, 'r') + "\t4\t*\t0\t0\t*\t*\t0\t0\tA\tI"));
}

BOOST_AUTO_TEST_CASE(every_base_and_quality_byte) {
    BothParsers both;
    for (int c = 1; c < 256; ++c) {
        if (c == '\t') continue;
        for (size_t n : {1u, 2u, 7u, 8u, 9u, 17u}) {
            for (size_t at = 0; at < n; ++at) {
                std::string bytes(n, 'G');
                bytes[at] = static_cast<char>(c);
                both.agree("r\t4\t*\t0\t0\t*\t*\t0\t0\t" + bytes + "\t*");
                both.agree("r\t4\t*\t0\t0\t*\t*\t0\t0\t" + std::string(n, 'A') + "\t" + bytes);
            }
        }
    }
}

BOOST_AUTO_TEST_CASE(numbers_at_the_edges_of_their_types) {
    BothParsers both;
    for (int64_t edge : {0ll, 128ll, 256ll, 32768ll, 65536ll, 999999999ll, 1ll << 29, 1ll << 31}) {
        for (int64_t value = edge - 2; value <= edge + 2; ++value) {
            for (const std::string& text :
                 {std::to_string(value), std::to_string(-value), "0" + std::to_string(value)}) {
                both.agree("r\t4\t*\t0\t0\t*\t*\t0\t0\tA\tI\tXX:i:" + text);
                both.agree("r\t4\t*\t0\t0\t*\t*\t0\t" + text + "\tA\tI");
                both.agree("r\t0\tchr1\t" + text + "\t0\t1M\t*\t0\t0\tA\tI");
                both.agree("r\t0\tchr1\t1\t" + text + "\t1M\t=\t" + text + "\t0\tA\tI");
                both.agree("r\t" + text + "\tchr1\t1\t0\t1M\t*\t0\t0\tA\tI");
                both.agree("r\t0\tchr1\t9\t0\t" + text + "D1M\t*\t0\t0\tA\tI");
            }
        }
    }
}

BOOST_AUTO_TEST_CASE(bins_of_all_levels) {
    BothParsers both;
    for (int shift = 0; shift < 29; ++shift) {
        for (int64_t around = -2; around <= 2; ++around) {
            const int64_t position = (int64_t{1} << shift) + around;
            if (position < 1) continue;
            for (const char* length : {"1", "2", "16384", "131072", "1048577", "99999999"}) {
                both.agree("r\t0\tchr1\t" + std::to_string(position) + "\t0\t1M" + length +
                           "N1M\t*\t0\t0\tAC\t*");
            }
        }
    }
}

BOOST_AUTO_TEST_CASE(mutated_lines_agree) {
    BothParsers both;
    std::mt19937_64 random(20);
    size_t n_taken = 0;
    const size_t n = scaled(200000);
    for (size_t i = 0; i < n; ++i) {
        n_taken += both.agree(mutated(kUsual[random() % kUsual.size()], random));
    }
    BOOST_TEST(n_taken > n / 20);
    BOOST_TEST(n_taken < n);
}

BOOST_AUTO_TEST_SUITE_END()
