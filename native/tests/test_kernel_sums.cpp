#include "check.hpp"
#include "kernel_rows.hpp"
#include "svm/kernel_tiles.hpp"

namespace {

using namespace kernel_rows;

template <class Real>
void check_extremes() {
    const Real most = std::numeric_limits<Real>::max(), least = std::numeric_limits<Real>::min();
    for (const Real scale : {most, std::sqrt(most), Real(1), std::sqrt(least), least / 4}) {
        for (const Real other : {most, Real(1), least}) {
            Matrix<Real> b{5, 2, {}}, a{5, 2, {}};
            for (const int each : {-1, 1, 1, 0, 0, -1, 1, -1, 1, 1}) {
                b.values.push_back(scale * static_cast<Real>(each));
                a.values.push_back(other * static_cast<Real>(each));
            }
            for (KernelForm form : forms) {
                for (const double gamma : {1e-300, 1.0, 1e300}) {
                    form.gamma = gamma;
                    form.degree = 5;
                    for (const Real value : crossed(form, a, b, 1)) {
                        check::that(std::isfinite(value), "finite at any scale");
                    }
                }
            }
        }
    }
}

const check::Test single_extremes{"kernels of floats of any scale are finite",
                                  check_extremes<float>};
const check::Test double_extremes{"kernels of doubles of any scale are finite",
                                  check_extremes<double>};

const check::Test integers{"distances of integers are exact", [] {
    const Matrix<float> x = matrix<float>(90, 300, Content::small_integers);
    StopSignal stop;
    std::vector<float> seen(90 * 90);
    squared_distances(x.view(), x.view(), seen.data(), {1, stop});
    for (std::size_t i = 0; i < 90; ++i) {
        for (std::size_t j = 0; j < 90; ++j) {
            float exact = 0;
            for (std::size_t k = 0; k < 300; ++k) {
                exact += (x.row(i)[k] - x.row(j)[k]) * (x.row(i)[k] - x.row(j)[k]);
            }
            check::equal(seen[i * 90 + j], exact);
        }
    }
}};

template <class Real>
std::vector<double> summed(const KernelForm& form, const Matrix<Real>& a, const Matrix<Real>& b,
                           const Matrix<double>& coefficients, KernelRun run) {
    std::vector<double> out(a.n_rows * coefficients.n_columns);
    kernel_sums(form, a.view(), b.view(), {coefficients.values, coefficients.n_columns}, out.data(),
                run);
    return out;
}

template <class Real>
void check_sums() {
    StopSignal stop;
    for (const CpuLevel level : available_cpu_levels()) {
        for (const std::size_t k : {0u, 1u, 2u, 8u, 9u, 33u}) {
            const Matrix<Real> a = matrix<Real>(53, 20, Content::numbers);
            const Matrix<Real> b = matrix<Real>(401, 20, Content::numbers);
            const Matrix<double> coefficients = matrix<double>(401, k, Content::numbers);
            const std::vector<Real> kernel = crossed(forms[3], a, b, 1, level);
            const auto seen = summed<Real>(forms[3], a, b, coefficients, {1, stop, level});
            check::equal(summed<Real>(forms[3], a, b, coefficients, {2, stop, level}), seen);
            for (std::size_t i = 0; i < 53; ++i) {
                const Matrix<Real> one{1, 20, {a.row(i), a.row(i) + 20}};
                const auto alone = summed<Real>(forms[3], one, b, coefficients, {1, stop, level});
                for (std::size_t c = 0; c < k; ++c) {
                    Wide sum = 0;
                    for (std::size_t j = 0; j < 401; ++j) {
                        sum += Wide(kernel[i * 401 + j]) * coefficients.row(j)[c];
                    }
                    check::near(seen[i * k + c], static_cast<double>(sum), 401 * 0x1p-52);
                    check::equal(alone[c], seen[i * k + c]);
                }
            }
        }
    }
}

const check::Test single_sums{"sums of kernels of floats", check_sums<float>};
const check::Test double_sums{"sums of kernels of doubles", check_sums<double>};

const check::Test threads{"threads and batches do not change a bit", [] {
    const Matrix<float> a = matrix<float>(301, 123, Content::offsets);
    const Matrix<float> b = matrix<float>(333, 123, Content::numbers);
    for (const KernelForm& form : forms) {
        const std::vector<float> whole = crossed(form, a, b, 1);
        check::equal(crossed(form, a, b, 2), whole);
        const Matrix<float> part{100, 123, {a.row(77), a.row(177)}};
        check::equal(crossed(form, part, b, 1),
                     std::vector<float>(whole.begin() + 77 * 333, whole.begin() + 177 * 333));
    }
}};

// What the last steps of kernels add to the error of their argument.
template <class Real>
void check_endings(svm::Ending ending, Wide (*exact)(Wide), double least, double most) {
    constexpr std::size_t width = svm::panel_width<Real>;
    for (const CpuLevel level : available_cpu_levels()) {
        for (double at = least; at < most; at += (most - least) / 3000) {
            std::vector<Real> sums(width), values(width), zeros(width);
            for (std::size_t j = 0; j < width; ++j)
                sums[j] = static_cast<Real>(at * (1 + double(j) * 1e-3));
            svm::kernel_tiles_for<Real>(level).finish({ending, 1, 0, 1},
                                                      {zeros.data(), zeros.data(), 1}, sums.data(),
                                                      values.data(), width);
            for (std::size_t j = 0; j < width; ++j) {
                const Wide wanted = exact(sums[j]),
                           allowed = ending == svm::Ending::sigmoid ? 8 : 3;
                check::that(std::abs(values[j] - wanted) <= allowed * unit<Real> * std::abs(wanted),
                            "an exponential within its error");
            }
        }
    }
}

const check::Test endings{"exponentials and hyperbolic tangents are accurate", [] {
    const auto exponential = [](Wide x) { return std::exp(x); };
    const auto tangent = [](Wide x) { return std::tanh(x); };
    check_endings<float>(svm::Ending::of_absolutes, exponential, -84, 0);
    check_endings<double>(svm::Ending::of_absolutes, exponential, -680, 0);
    check_endings<float>(svm::Ending::sigmoid, tangent, -3, 3);
    check_endings<double>(svm::Ending::sigmoid, tangent, -3, 3);
}};

const check::Test refusals{"kernels refuse what they cannot compute", [] {
    const double infinity = std::numeric_limits<double>::infinity();
    const auto refuses = [](KernelForm form) {
        check::throws<std::invalid_argument>([&] { form.check(); });
    };
    refuses({static_cast<KernelKind>(5), 1, 0, 1});
    refuses({KernelKind::rbf, -1, 0, 1});
    refuses({KernelKind::rbf, infinity, 0, 1});
    refuses({KernelKind::sigmoid, 1, infinity, 1});
    refuses({KernelKind::polynomial, 1, 0, -1});
    check::throws<std::invalid_argument>([] {
        crossed(forms[0], matrix<float>(2, 3, Content::numbers),
                matrix<float>(2, 4, Content::numbers), 1);
    });
}};

}  // namespace
