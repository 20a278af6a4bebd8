// Sums over the rows of several processes, by a Python function.
#pragma once

#include <nanobind/nanobind.h>

#include "arrays.hpp"
#include "branchline/part_sums.hpp"

namespace branchline::bindings {

// Calls exchange(is_largest, values): it writes the sums or the largest values of all parts into the
// array, which lives for the call only. An exception that it raises ends the kernel.
class PythonPartSums : public PartSums {
  public:
    explicit PythonPartSums(nb::callable exchange) : exchange_(std::move(exchange)) {}

    void add(std::span<std::uint64_t> values) override { call(false, values); }
    void take_largest(std::span<std::uint64_t> values) override { call(true, values); }

  private:
    void call(bool is_largest, std::span<std::uint64_t> values) {
        nb::gil_scoped_acquire locked;
        exchange_(is_largest, Out<std::uint64_t>(values.data(), {values.size()}, nb::handle())
                                  .cast(nb::rv_policy::reference));
    }

    nb::callable exchange_;
};

}  // namespace branchline::bindings
