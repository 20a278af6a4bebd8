// The border's vocabulary: arrays in (borrowed, never converted), arrays out (new, owned).
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <stdexcept>
#include <utility>
#include <vector>

#include "branchline/codes.hpp"
#include "branchline/types.hpp"

namespace branchline::bindings {

namespace nb = nanobind;

template <class Value>
using In = nb::ndarray<const Value, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using AnyColumn = nb::ndarray<nb::ro, nb::ndim<1>, nb::device::cpu>;
template <class Value>
using Out = nb::ndarray<nb::numpy, Value, nb::ndim<1>>;

template <class Value>
std::span<const Value> span_of(const In<Value>& array) {
    return {array.data(), array.shape(0)};
}

template <class Value>
std::span<const Value> span_of(const std::optional<In<Value>>& array) {
    return array ? span_of(*array) : std::span<const Value>{};
}

inline void require(bool holds, const char* what) {
    if (!holds) throw std::invalid_argument(what);
}

template <class Value>
Out<Value> give(std::vector<Value>&& values) {
    auto owner = std::make_unique<std::vector<Value>>(std::move(values));
    const std::size_t size = owner->size();
    Value* data = owner->data();
    nb::capsule capsule(owner.release(), [](void* p) noexcept {
        delete static_cast<std::vector<Value>*>(p);
    });
    return Out<Value>(data, {size}, std::move(capsule));
}

// Codes leave as uint8, uint16 or uint32.
nb::object give_codes(EncodedColumn&& column, std::size_t n_rows);

// Borrows a list of columns for one call: float32, float64, or int32 categories.
class Columns {
  public:
    // n_categories[c] is −1 for a numeric column.
    Columns(const nb::list& columns, const In<std::int32_t>& n_categories);

    std::span<const ColumnView> views() const { return views_; }
    std::size_t n_rows() const { return n_rows_; }

  private:
    std::vector<AnyColumn> arrays_;
    std::vector<ColumnView> views_;
    std::size_t n_rows_ = 0;
};

// Borrows a list of code columns (uint8, uint16 or uint32, contiguous).
class CodeColumns {
  public:
    explicit CodeColumns(const nb::list& columns);

    std::span<const CodeColumn> views() const { return views_; }
    std::size_t n_rows() const { return n_rows_; }

  private:
    std::vector<AnyColumn> arrays_;
    std::vector<CodeColumn> views_;
    std::size_t n_rows_ = 0;
};

}  // namespace branchline::bindings
