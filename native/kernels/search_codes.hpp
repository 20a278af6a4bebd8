// Searching the code of each value among known ranges; see KnownCodes for what happens between them.
#pragma once

#include "branchline/codes.hpp"

namespace branchline {

// Writes column.codes. Requires: codes of zeros, as wide as known needs.
template <class Float>
void search_codes(const ColumnView& view, std::size_t n_rows, const KnownCodes& known,
                  CpuLevel level, EncodedColumn& column);

}  // namespace branchline
