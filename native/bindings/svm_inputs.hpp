// Problems of support vector machines, as they cross the border.
#pragma once

#include <nanobind/stl/optional.h>

#include "arrays.hpp"
#include "branchline/svm.hpp"

namespace branchline::bindings {

using Numbers = In<double>;
using Rows = In<std::uint32_t>;
template <class Real>
using Matrix = nb::ndarray<const Real, nb::ndim<2>, nb::c_contig, nb::device::cpu>;

template <class Value>
std::vector<Value> copied(const In<Value>& array) {
    const auto values = span_of(array);
    return {values.begin(), values.end()};
}

template <class Value>
std::vector<Value> copied(const std::optional<In<Value>>& array) {
    return array ? copied(*array) : std::vector<Value>{};
}

// A problem that owns its numbers.
struct OwnedProblem {
    std::vector<std::uint32_t> row;
    std::vector<double> linear, lower, upper, ridge, start;
    std::vector<std::uint8_t> group;

    SvmProblem view() const { return {row, linear, lower, upper, ridge, group, start}; }
};

template <class Real>
GivenGram<Real> gram_of(const Matrix<Real>& matrix) {
    require(matrix.shape(0) == matrix.shape(1), "a kernel matrix is square");
    require_aligned(matrix);
    return {matrix.data(), matrix.shape(0)};
}

}  // namespace branchline::bindings
