#include "arrays.hpp"
#include "branchline/kernel_matrix.hpp"
#include "interrupt.hpp"

namespace branchline::bindings {

namespace {

template <class Real>
using InRows = nb::ndarray<const Real, nb::ndim<2>, nb::c_contig, nb::device::cpu>;
template <class Real>
using OutRows = nb::ndarray<nb::numpy, Real, nb::ndim<2>>;

template <class Real>
PointRows<Real> rows_of(const InRows<Real>& matrix) {
    require_aligned(matrix);
    return {matrix.data(), matrix.shape(0), matrix.shape(1)};
}

// A new matrix that work(values, stop) fills.
template <class Real, class Work>
OutRows<Real> fill_matrix(std::size_t n_rows, std::size_t n_columns, Work&& work) {
    auto values = std::make_unique_for_overwrite<Real[]>(n_rows * n_columns);
    without_lock([&](StopSignal& stop) { work(values.get(), stop); });
    Real* const data = values.get();
    nb::capsule owner(values.release(), [](void* p) noexcept { delete[] static_cast<Real*>(p); });
    return OutRows<Real>(data, {n_rows, n_columns}, std::move(owner));
}

template <class Real>
OutRows<Real> matrix_of(const KernelForm& form, const InRows<Real>& a, const InRows<Real>& b,
                        int n_threads) {
    const PointRows<Real> rows = rows_of(a), points = rows_of(b);
    return fill_matrix<Real>(rows.n_rows, points.n_rows, [&](Real* out, StopSignal& stop) {
        kernel_matrix(form, rows, points, out, {n_threads, stop});
    });
}

template <class Real>
OutRows<double> sums_of(const KernelForm& form, const InRows<Real>& a, const InRows<Real>& b,
                        const InRows<double>& coefficients, int n_threads) {
    const PointRows<Real> rows = rows_of(a), points = rows_of(b);
    const PointRows<double> given = rows_of(coefficients);
    require(given.n_rows == points.n_rows, "a row of coefficients for each row of b");
    const KernelCoefficients all{{given.values, given.n_rows * given.n_columns}, given.n_columns};
    return fill_matrix<double>(rows.n_rows, given.n_columns, [&](double* out, StopSignal& stop) {
        kernel_sums(form, rows, points, all, out, {n_threads, stop});
    });
}

template <class Real>
OutRows<Real> distances_of(const InRows<Real>& a, const InRows<Real>& b, int n_threads) {
    const PointRows<Real> rows = rows_of(a), points = rows_of(b);
    return fill_matrix<Real>(rows.n_rows, points.n_rows, [&](Real* out, StopSignal& stop) {
        squared_distances(rows, points, out, {n_threads, stop});
    });
}

template <class Real>
OutRows<Real> rbf_of(const InRows<Real>& distances, double gamma, int n_threads) {
    const PointRows<Real> given = rows_of(distances);
    const std::span<const Real> squares(given.values, given.n_rows * given.n_columns);
    return fill_matrix<Real>(given.n_rows, given.n_columns, [&](Real* out, StopSignal& stop) {
        rbf_of_distances(squares, gamma, out, {n_threads, stop});
    });
}

template <class Real>
void add_for(nb::module_& module, const std::string& ending) {
    module.def(("kernel_matrix_" + ending).c_str(), &matrix_of<Real>, nb::arg("form"),
               nb::arg("a").noconvert(), nb::arg("b").noconvert(), nb::arg("n_threads"),
               "The kernel of each row of a with each row of b.");
    module.def(("kernel_sums_" + ending).c_str(), &sums_of<Real>, nb::arg("form"),
               nb::arg("a").noconvert(), nb::arg("b").noconvert(),
               nb::arg("coefficients").noconvert(), nb::arg("n_threads"),
               "The kernel of each row of a with all rows of b, times their coefficients.");
    module.def(("squared_distances_" + ending).c_str(), &distances_of<Real>,
               nb::arg("a").noconvert(), nb::arg("b").noconvert(), nb::arg("n_threads"),
               "The squared Euclidean distance of each row of a from each row of b.");
    module.def(("rbf_of_distances_" + ending).c_str(), &rbf_of<Real>,
               nb::arg("distances").noconvert(), nb::arg("gamma"), nb::arg("n_threads"),
               "exp(−gamma · distance) of a matrix of squared distances.");
}

}  // namespace

void add_kernel_matrix(nb::module_& module) {
    nb::class_<KernelForm>(module, "KernelForm", "A kernel of two rows of numbers.")
        .def(
            "__init__",
            [](KernelForm* self, int kind, double gamma, double coef0, int degree) {
                const KernelForm form{static_cast<KernelKind>(kind), gamma, coef0, degree};
                form.check();
                new (self) KernelForm(form);
            },
            nb::arg("kind"), nb::arg("gamma"), nb::arg("coef0"), nb::arg("degree"));
    add_for<float>(module, "single");
    add_for<double>(module, "double");
}

}  // namespace branchline::bindings
