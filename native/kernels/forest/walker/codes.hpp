// Rows of a table become codes, one for each view; see forest_walker_nodes.hpp.
#pragma once

#include <span>

#include "branchline/types.hpp"
#include "forest/walker/build.hpp"

namespace branchline {

// Throws std::invalid_argument unless the tests of a forest fit these columns.
void check_columns(const CompactForest& forest, std::span<const ColumnView> columns);

// Writes n_rows × n_views codes. Throws std::out_of_range for a category that is not below the
// column's n_categories. Requires: check_columns.
void code_rows(const CompactForest& forest, const ForestKernels& kernels,
               std::span<const ColumnView> columns, std::size_t first_row, std::size_t n_rows,
               std::uint32_t* codes);

}  // namespace branchline
