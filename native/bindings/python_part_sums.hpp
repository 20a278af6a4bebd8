// Sums over the rows of several processes, by a Python object.
#pragma once

#include <nanobind/nanobind.h>

#include <algorithm>

#include "arrays.hpp"
#include "branchline/part_sums.hpp"

namespace branchline::bindings {

// Calls add, take_largest and gather with an array to write the result to, which lives for the call only,
// and tell with the words of the part that looks for tests (elsewhere with none): it returns them. An
// exception that one of them raises ends the kernel.
class PythonPartSums : public PartSums {
  public:
    PythonPartSums(nb::object exchange, bool looks)
        : PartSums(looks), exchange_(std::move(exchange)) {}

    void add(std::span<std::uint64_t> values) override { call("add", values); }
    void take_largest(std::span<std::uint64_t> values) override { call("take_largest", values); }
    void gather(std::span<std::uint64_t> values) override { call("gather", values); }
    void tell(std::vector<std::uint64_t>& words) override {
        nb::gil_scoped_acquire locked;
        const nb::object told = exchange_.attr("tell")(array_of(words));
        if (looks()) return;
        const auto given =
            span_of(array_in<In<std::uint64_t>>(told, "an array of unsigned 64-bit integers"));
        words.assign(given.begin(), given.end());
    }

  private:
    static nb::object array_of(std::span<std::uint64_t> values) {
        return nb::cast(Out<std::uint64_t>(values.data(), {values.size()}, nb::handle()),
                        nb::rv_policy::reference);
    }
    void call(const char* name, std::span<std::uint64_t> values) {
        nb::gil_scoped_acquire locked;
        exchange_.attr(name)(array_of(values));
    }

    nb::object exchange_;
};

}  // namespace branchline::bindings
