#include <nanobind/stl/optional.h>

#include "arrays.hpp"
#include "branchline/string_kernels.hpp"
#include "interrupt.hpp"

namespace branchline::bindings {

namespace {

using Symbols = In<std::uint32_t>;
using Offsets = In<std::int64_t>;

std::vector<double> gram_of(const StringForm& form, const StringBatch& a,
                            const std::optional<StringBatch>& b, int n_threads) {
    const std::size_t n_columns = b ? b->n_strings() : a.n_strings();
    std::vector<double> out(a.n_strings() * n_columns);
    without_lock([&](StopSignal& stop) {
        if (b) {
            string_gram(form, a, *b, out, n_threads, stop);
        } else {
            string_gram(form, a, out, n_threads, stop);
        }
    });
    return out;
}

}  // namespace

void add_strings(nb::module_& module) {
    nb::class_<StringForm>(module, "StringForm", "A string kernel with its parameters.")
        .def(nb::init<int, std::size_t, double, std::size_t>(), nb::arg("kind"), nb::arg("order"),
             nb::arg("decay"), nb::arg("shift"));

    module.def(
        "string_gram",
        [](const StringForm& form, const Symbols& symbols, const Offsets& offsets,
           const std::optional<Symbols>& other_symbols, const std::optional<Offsets>& other_offsets,
           int n_threads) {
            const StringBatch a(span_of(symbols), span_of(offsets));
            require(other_symbols.has_value() == other_offsets.has_value(),
                    "symbols and offsets, or neither");
            std::optional<StringBatch> b;
            if (other_symbols) b.emplace(span_of(*other_symbols), span_of(*other_offsets));
            return give(gram_of(form, a, b, n_threads));
        },
        nb::arg("form"), nb::arg("symbols").noconvert(), nb::arg("offsets").noconvert(),
        nb::arg("other_symbols").noconvert().none(), nb::arg("other_offsets").noconvert().none(),
        nb::arg("n_threads"),
        "The kernel of strings with others, or with each other, row after row.");

    module.def(
        "string_diagonal",
        [](const StringForm& form, const Symbols& symbols, const Offsets& offsets, int n_threads) {
            const StringBatch a(span_of(symbols), span_of(offsets));
            std::vector<double> out(a.n_strings());
            without_lock([&](StopSignal& stop) { string_diagonal(form, a, out, n_threads, stop); });
            return give(std::move(out));
        },
        nb::arg("form"), nb::arg("symbols").noconvert(), nb::arg("offsets").noconvert(),
        nb::arg("n_threads"), "The kernel of each string with itself.");
}

}  // namespace branchline::bindings
