// bgzfw/bam1.hpp: htslib's records and headers for a writer. The one C++ header that
// includes htslib; all of it is compiled into the caller.
#pragma once

#include <htslib/sam.h>

#include <cstring>
#include <limits>

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
    throw Error(ErrorCode::kRecord, std::string("BAM cannot hold the record \"") +
                                        bam_get_qname(&record) + "\"");
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
// htslib may render its text. Throws Error kHeader.
inline BamHeader render_header(sam_hdr_t* header) {
    const char* text = sam_hdr_str(header);
    const size_t l_text = sam_hdr_length(header);
    if (text == nullptr || l_text > size_t{std::numeric_limits<int32_t>::max()}) {
        throw Error(ErrorCode::kHeader, "htslib cannot render the header");
    }
    std::vector<uint8_t> bytes = {'B', 'A', 'M', 1};
    const auto append = [&](const void* data, size_t n) {
        const auto* p = static_cast<const uint8_t*>(data);
        bytes.insert(bytes.end(), p, p + n);
    };
    const auto append_u32 = [&](uint32_t v) {
        const uint8_t le[4] = {static_cast<uint8_t>(v), static_cast<uint8_t>(v >> 8),
                               static_cast<uint8_t>(v >> 16), static_cast<uint8_t>(v >> 24)};
        append(le, 4);
    };
    append_u32(static_cast<uint32_t>(l_text));
    append(text, l_text);
    append_u32(static_cast<uint32_t>(header->n_targets));
    for (int i = 0; i < header->n_targets; ++i) {
        const size_t name_bytes = std::strlen(header->target_name[i]) + 1;
        append_u32(static_cast<uint32_t>(name_bytes));
        append(header->target_name[i], name_bytes);
        append_u32(header->target_len[i]);
    }
    return BamHeader::from_bytes(bytes);
}

}  // namespace bgzfw
