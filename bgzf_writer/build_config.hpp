// build_config.hpp: which backends are built in, when config.h has not said so.
#pragma once

#ifndef BGZFW_WITH_HTSLIB
#define BGZFW_WITH_HTSLIB 1
#endif
#ifndef BGZFW_WITH_LIBDEFLATE
#define BGZFW_WITH_LIBDEFLATE 1
#endif
#ifndef BGZFW_WITH_ISAL
#define BGZFW_WITH_ISAL 0
#endif
