#include "branchline/random.hpp"
#include "columns.hpp"
#include "interrupt.hpp"

namespace branchline::bindings {

void add_random(nb::module_& module) {
    module.def(
        "philox",
        [](const In<std::uint64_t>& counter, const In<std::uint64_t>& key) {
            require(counter.shape(0) == 4 && key.shape(0) == 2, "counter of 4, key of 2 words");
            const std::uint64_t *c = counter.data(), *k = key.data();
            const RandomBlock block = philox({c[0], c[1], c[2], c[3]}, {k[0], k[1]});
            return give(std::vector<std::uint64_t>(block.begin(), block.end()));
        },
        nb::arg("counter").noconvert(), nb::arg("key").noconvert(),
        "One block of the counter-based generator Philox 4×64-10.");

    module.def(
        "row_keys",
        [](const nb::list& columns, const In<std::uint64_t>& target, int n_threads) {
            const CodeColumns borrowed(columns);
            require(columns.size() == 0 || target.shape(0) == borrowed.n_rows(),
                    "one target for each row");
            std::vector<std::uint64_t> keys(target.shape(0));
            without_lock([&](StopSignal& stop) {
                row_keys(borrowed.views(), span_of(target), keys, n_threads, stop);
            });
            return give(std::move(keys));
        },
        nb::arg("columns"), nb::arg("target").noconvert(), nb::arg("n_threads"),
        "A hash of each row's codes and target.");

    module.def(
        "first_copies",
        [](const In<std::uint64_t>& keys, const In<std::int64_t>& copies) {
            require(keys.shape(0) == copies.shape(0), "one number of copies for each key");
            std::vector<std::int64_t> first(keys.shape(0));
            without_lock([&](StopSignal& stop) {
                first_copies(span_of(keys), span_of(copies), first, stop);
            });
            return give(std::move(first));
        },
        nb::arg("keys").noconvert(), nb::arg("copies").noconvert(),
        "The number of each row's first copy among the rows with its key.");

    module.def(
        "bootstrap_counts",
        [](const In<std::uint64_t>& keys, const In<std::int64_t>& copies,
           const In<std::int64_t>& first, std::uint64_t seed, std::uint64_t task, int n_threads) {
            require(keys.shape(0) == copies.shape(0) && keys.shape(0) == first.shape(0),
                    "keys, copies and first of one length");
            std::vector<std::uint32_t> counts(keys.shape(0));
            without_lock([&](StopSignal& stop) {
                bootstrap_counts(span_of(keys), span_of(copies), span_of(first), {seed, task},
                                 counts, n_threads, stop);
            });
            return give(std::move(counts));
        },
        nb::arg("keys").noconvert(), nb::arg("copies").noconvert(), nb::arg("first").noconvert(),
        nb::arg("seed"), nb::arg("task"), nb::arg("n_threads"),
        "Poisson(1) draws summed over each row's copies.");
}

}  // namespace branchline::bindings
