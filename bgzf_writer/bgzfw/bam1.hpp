// bgzfw/bam1.hpp: htslib's records and headers for a writer. The one C++ header that
// includes htslib; all of it is compiled into the caller.
#pragma once

#include <htslib/sam.h>

#include <cstdlib>
#include <memory>
#include <string>

#include "bgzfw/bam1_encode.h"
#include "bgzfw/bam_header.hpp"
#include "bgzfw/error.hpp"
#include "bgzfw/producer.hpp"
#include "bgzfw/writer.hpp"

namespace bgzfw {

// Throws Error kRecord.
inline size_t encoded_size(const bam1_t& record) {
    const size_t size = bgzfw_bam1_size(&record);
    if (size > 0) return size;
    throw Error(ErrorCode::kRecord,
                std::string("BAM cannot hold the record \"") + bam_get_qname(&record) + "\"");
}

template <class Destination>
void write_bam1(Destination& destination, const bam1_t& record) {
    const size_t size = encoded_size(record);
    bgzfw_bam1_encode(&record, destination.begin_record(size), size);
    destination.end_record();
}

inline void Writer::write(const bam1_t& record) { write_bam1(*this, record); }
inline void Producer::write(const bam1_t& record) { write_bam1(*this, record); }

// The header as htslib's sam_hdr_write() would write it. `header` is not const because
// htslib may render its text into it. Throws Error kHeader.
inline BamHeader render_header(sam_hdr_t* header) {
    size_t size = 0;
    const std::unique_ptr<uint8_t, void (*)(void*)> bytes(bgzfw_render_header(header, &size),
                                                          std::free);
    if (!bytes) throw Error(ErrorCode::kHeader, "htslib cannot render the header");
    return BamHeader::from_bytes({bytes.get(), size});
}

}  // namespace bgzfw
