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

namespace branchline::bindings {

namespace nb = nanobind;

template <class Value>
using In = nb::ndarray<const Value, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using AnyColumn = nb::ndarray<nb::ro, nb::ndim<1>, nb::device::cpu>;
template <class Value>
using Out = nb::ndarray<nb::numpy, Value, nb::ndim<1>>;

inline void require(bool holds, const char* what) {
    if (!holds) throw std::invalid_argument(what);
}

// Kernels read through typed pointers; a view into packed records may not allow that. An empty
// array is not read, and may lie anywhere: those that Python 3.13 unpickles do.
template <class Array>
void require_aligned(const Array& array) {
    require(
        array.size() == 0 || reinterpret_cast<std::uintptr_t>(array.data()) % array.itemsize() == 0,
        "an array is not aligned");
}

template <class Value>
std::span<const Value> span_of(const In<Value>& array) {
    require_aligned(array);
    return {array.data(), array.shape(0)};
}

template <class Value>
std::span<const Value> span_of(const std::optional<In<Value>>& array) {
    return array ? span_of(*array) : std::span<const Value>{};
}

template <class Value>
Out<Value> give(std::vector<Value>&& values) {
    auto owner = std::make_unique<std::vector<Value>>(std::move(values));
    const std::size_t size = owner->size();
    Value* data = owner->data();
    nb::capsule capsule(owner.release(),
                        [](void* p) noexcept { delete static_cast<std::vector<Value>*>(p); });
    return Out<Value>(data, {size}, std::move(capsule));
}

// An item of a list as an array; a TypeError says what was expected when it is something else.
template <class Array>
Array array_in(const nb::handle& item, const char* expected) {
    Array array;
    if (item.is_none() || !nb::try_cast<Array>(item, array, false)) throw nb::type_error(expected);
    return array;
}

}  // namespace branchline::bindings
