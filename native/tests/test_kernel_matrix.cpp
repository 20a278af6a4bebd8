#include "check.hpp"
#include "kernel_rows.hpp"

namespace {

using namespace kernel_rows;

template <class Real>
std::vector<Real> filled(const KernelPoints<Real>& points, const Rows& rows, std::size_t first,
                         std::size_t last) {
    std::vector<Real> out(rows.size() * (last - first));
    points.fill(rows, first, last, out.data(), last - first);
    return out;
}

template <class Real>
void check_values(const KernelForm& form, const Matrix<Real>& x, CpuLevel level) {
    const KernelPoints<Real> points(x.values.data(), x.n_rows, x.n_columns, form, level);
    const std::vector<Real> seen = filled(points, all_rows(x.n_rows), 0, x.n_rows);
    std::vector<double> diagonal(x.n_rows);
    points.diagonal(diagonal);
    for (std::size_t i = 0; i < x.n_rows; ++i) {
        for (std::size_t j = 0; j < x.n_rows; ++j) {
            const Truth wanted = truth(form, x.row(i), x.row(j), x.n_columns);
            const Wide away = std::abs(static_cast<Wide>(seen[i * x.n_rows + j]) - wanted.value);
            check::that(away <= wanted.error, "a kernel within its error");
            check::equal(seen[i * x.n_rows + j], seen[j * x.n_rows + i]);
        }
        check::equal(static_cast<double>(seen[i * x.n_rows + i]), diagonal[i]);
    }
}

template <class Real>
void check_shapes() {
    for (const CpuLevel level : available_cpu_levels()) {
        for (const KernelForm& form : forms) {
            for (const std::size_t d : {0u, 1u, 7u, 16u, 123u, 500u}) {
                const std::size_t n = d == 500 ? 37 : 101;
                check_values(form, matrix<Real>(n, d, Content::numbers), level);
                check_values(form, matrix<Real>(n, d, Content::bits), level);
            }
            check_values(form, matrix<Real>(1, 5, Content::numbers), level);
            check_values(form, matrix<Real>(0, 5, Content::numbers), level);
        }
    }
}

const check::Test single_shapes{"kernels of floats are within their errors", check_shapes<float>};
const check::Test double_shapes{"kernels of doubles are within their errors", check_shapes<double>};

template <class Real>
void check_blocks() {
    for (const CpuLevel level : available_cpu_levels()) {
        for (const KernelForm& form : forms) {
            for (const std::size_t d : {3u, 123u, 600u}) {
                const Matrix<Real> x = matrix<Real>(700, d, Content::numbers);
                const KernelPoints<Real> points(x.values.data(), 700, d, form, level);
                const Rows rows{699, 3, 3, 44, 12, 260, 0, 1, 2, 5, 6, 7, 8, 9, 10, 11, 31, 32};
                const std::vector<Real> whole = filled(points, rows, 0, 700);
                for (std::size_t i = 0; i < rows.size(); ++i) {
                    const auto some = filled(points, {rows[i]}, 13 + i, 615);
                    const auto* const from = whole.data() + i * 700;
                    check::equal(some, std::vector<Real>(from + 13 + i, from + 615));
                }
            }
        }
    }
}

const check::Test single_blocks{"blocks do not change kernels of floats", check_blocks<float>};
const check::Test double_blocks{"blocks do not change kernels of doubles", check_blocks<double>};

// Rows of `a` are not bits because of one of them: the others must not notice.
template <class Real>
void check_bits() {
    for (const CpuLevel level : available_cpu_levels()) {
        for (const KernelForm& form : forms) {
            for (const std::size_t d : {5u, 123u, 300u}) {
                const Matrix<Real> b = matrix<Real>(67, d, Content::bits);
                Matrix<Real> a = matrix<Real>(41, d, Content::bits);
                const std::vector<Real> counted = crossed(form, a, b, 1, level);
                a.values.back() = Real(0.5);
                std::vector<Real> summed = crossed(form, a, b, 1, level);
                std::copy(counted.end() - 67, counted.end(), summed.end() - 67);
                check::equal(summed, counted);
            }
        }
    }
}

const check::Test single_bits{"bits of floats have the same kernels", check_bits<float>};
const check::Test double_bits{"bits of doubles have the same kernels", check_bits<double>};

template <class Real>
void check_copies() {
    for (const CpuLevel level : available_cpu_levels()) {
        for (const Content content : {Content::numbers, Content::offsets, Content::bits}) {
            for (const double scale : {1e-30, 1.0, 1e30}) {
                const Matrix<Real> x = matrix<Real>(70, 345, content, scale);
                for (const KernelKind kind : {KernelKind::rbf, KernelKind::laplacian}) {
                    const KernelPoints<Real> points(x.values.data(), 70, 345, {kind, 2, 0, 1},
                                                    level);
                    const std::vector<Real> seen = filled(points, all_rows(70), 0, 70);
                    for (std::size_t i = 0; i < 70; ++i) {
                        check::equal(seen[i * 70 + i], Real(1));
                        if (i % 7 == 6) check::equal(seen[i * 70 + i - 1], Real(1));
                        if (i % 7 == 6) check::equal(seen[(i - 1) * 70 + i], Real(1));
                    }
                }
            }
        }
    }
}

const check::Test single_copies{"equal rows of floats have kernel 1", check_copies<float>};
const check::Test double_copies{"equal rows of doubles have kernel 1", check_copies<double>};

const check::Test levels{"levels with fused products give the same bits", [] {
    const auto all = available_cpu_levels();
    if (all.back() != CpuLevel::v4) return;
    const Matrix<float> single = matrix<float>(90, 300, Content::numbers);
    const Matrix<double> twice = matrix<double>(90, 300, Content::numbers);
    for (const KernelForm& form : forms) {
        check::equal(crossed(form, single, single, 1, CpuLevel::v4),
                     crossed(form, single, single, 1, CpuLevel::v3));
        check::equal(crossed(form, twice, twice, 1, CpuLevel::v4),
                     crossed(form, twice, twice, 1, CpuLevel::v3));
    }
}};

const check::Test offsets{"large offsets do not cancel", [] {
    const Matrix<float> x = matrix<float>(90, 50, Content::offsets);
    for (const CpuLevel level : available_cpu_levels()) {
        check_values<float>({KernelKind::rbf, 0.05, 0, 1}, x, level);
    }
}};

}  // namespace
