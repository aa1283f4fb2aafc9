// main.cpp: the main() of the unit test program; the tests are in test_*.cpp beside it.
#define BOOST_TEST_MODULE qbix
#include <boost/test/unit_test.hpp>
