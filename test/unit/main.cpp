// main.cpp: the main() of the unit test program; the tests are in test_*.cpp beside it.
#define BOOST_TEST_MODULE qbix
#include <htslib/hts_log.h>

#include <boost/test/unit_test.hpp>

namespace {

// The tests feed damaged files on purpose; what htslib says of them is noise.
struct QuietHtslib {
    QuietHtslib() { hts_set_log_level(HTS_LOG_OFF); }
};
BOOST_TEST_GLOBAL_FIXTURE(QuietHtslib);

}  // namespace
