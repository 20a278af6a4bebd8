#include "arrays.hpp"
#include "branchline/linear_sets.hpp"
#include "interrupt.hpp"

namespace branchline::bindings {

namespace {

// Terms, target and weights of some rows; borrowed for one call.
struct Rows {
    explicit Rows(const nb::tuple& parts) {
        require(parts.size() == 3, "rows are terms, a target and weights");
        terms = array_in<In<double>>(parts[0], "float64 terms");
        target = array_in<In<double>>(parts[1], "a float64 target");
        weights = array_in<In<double>>(parts[2], "float64 weights");
        require(target.shape(0) > 0, "a row at least");
        require(weights.shape(0) == target.shape(0), "a weight for each row");
        require(terms.shape(0) % target.shape(0) == 0, "terms for each row");
    }
    LinearSetRows view() const { return {span_of(terms), span_of(target), span_of(weights)}; }
    std::size_t n_terms() const { return terms.shape(0) / target.shape(0); }

    In<double> terms, target, weights;
};

void check(const LinearSetList& sets, std::size_t n_terms) {
    require(!sets.first.empty() && sets.first.front() == 0, "sets begin at 0");
    require(sets.first.back() == static_cast<std::int64_t>(sets.terms.size()),
            "sets end with their terms");
    for (std::size_t place = 0; place < sets.size(); ++place) {
        require(sets.first[place] <= sets.first[place + 1], "sets follow each other");
    }
    for (const std::int64_t term : sets.terms) {
        require(term >= 0 && static_cast<std::size_t>(term) < n_terms, "terms of the rows");
    }
}

}  // namespace

void add_linear_sets(nb::module_& module) {
    module.def(
        "linear_set_errors",
        [](const nb::tuple& learn, const nb::tuple& test, const In<std::int64_t>& first,
           const In<std::int64_t>& terms, double strength, int n_threads) {
            const Rows learned(learn), tested(test);
            require(learned.n_terms() == tested.n_terms(), "the same terms in both parts");
            require(strength >= 0, "a strength from 0");
            const LinearSetList sets{span_of(first), span_of(terms)};
            check(sets, learned.n_terms());
            return give(without_lock([&](StopSignal& stop) {
                return linear_set_errors(learned.view(), tested.view(), sets, strength, n_threads,
                                         stop);
            }));
        },
        nb::arg("learn"), nb::arg("test"), nb::arg("first").noconvert(),
        nb::arg("terms").noconvert(), nb::arg("strength"), nb::arg("n_threads"),
        "Held-out errors of linear models on sets of terms; NaN: not solved.");
}

}  // namespace branchline::bindings
