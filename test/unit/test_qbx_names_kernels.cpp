// Every SIMD level against plain comparison, on lines of any bytes.
#include <boost/test/unit_test.hpp>

#include <random>

#include "format_qbx_names.hpp"
#include "qbx_names_kernels.hpp"

using namespace qbix::qbx_names;

BOOST_AUTO_TEST_SUITE(test_qbx_names_kernels)

BOOST_AUTO_TEST_CASE(masks_are_those_of_the_scalar_kernel) {
    constexpr size_t kLines = 3000;
    std::mt19937_64 random(1);
    std::vector<uint8_t> bytes(kLines * kLineBytes);
    for (uint8_t& byte : bytes) byte = static_cast<uint8_t>(random() % 3);
    std::vector<const uint8_t*> lines;
    for (size_t i = 0; i < kLines; ++i) {
        lines.push_back(&bytes[i * kLineBytes]);
        bytes[i * kLineBytes] = static_cast<uint8_t>(random());  // any count
    }
    for (const unsigned width : {16, 24, 32}) {
        std::vector<uint32_t> remainders(kLines);
        for (size_t i = 0; i < kLines; ++i)
            remainders[i] = load_slot(lines[i], random() % line_shape(width).n_slots, width);
        std::vector<uint32_t> expected(kLines), masks(kLines);
        kScalarKernels.match(width)(lines.data(), remainders.data(), expected.data(), kLines);
        size_t n_set = 0;
        for (const uint32_t mask : expected) n_set += mask != 0;
        BOOST_TEST(n_set > kLines / 4);
        for (const Kernels* kernels : all_kernels()) {
            kernels->match(width)(lines.data(), remainders.data(), masks.data(), kLines);
            BOOST_TEST((masks == expected), qbix::simd_level_name(kernels->level) << " " << width);
        }
    }
}

BOOST_AUTO_TEST_CASE(slots_are_stored_where_they_are_loaded) {
    for (const unsigned width : {16, 24, 32}) {
        uint8_t line[kLineBytes] = {};
        const unsigned n_slots = line_shape(width).n_slots;
        qbix::store_le<uint32_t>(line, n_slots);
        const auto value = [&](unsigned slot) {
            return (0x01020304U * (slot + 1)) & static_cast<uint32_t>(low_mask(width));
        };
        for (unsigned slot = 0; slot < n_slots; ++slot) store_slot(line, slot, width, value(slot));
        BOOST_TEST(line_count(qbix::load_le<uint32_t>(line)) == n_slots);
        for (unsigned slot = 0; slot < n_slots; ++slot) {
            BOOST_TEST(load_slot(line, slot, width) == value(slot));
            for (const Kernels* kernels : all_kernels()) {
                const uint8_t* lines[] = {line};
                const uint32_t remainder = value(slot);
                uint32_t mask = 0;
                kernels->match(width)(lines, &remainder, &mask, 1);
                BOOST_TEST(mask == 1U << slot);
            }
        }
    }
}

BOOST_AUTO_TEST_SUITE_END()
