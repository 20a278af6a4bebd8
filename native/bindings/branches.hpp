// The branches of category tests as they come from Python: bytes, or 32 bits each.
#pragma once

#include <nanobind/stl/variant.h>

#include "arrays.hpp"
#include "branchline/branch_pool.hpp"

namespace branchline::bindings {

using Branches = std::variant<In<std::int8_t>, In<std::int32_t>>;

inline BranchesView view_of(const Branches& branches) {
    return std::visit([](const auto& given) { return BranchesView(span_of(given)); }, branches);
}

}  // namespace branchline::bindings
