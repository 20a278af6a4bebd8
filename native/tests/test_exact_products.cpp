#include <cmath>
#include <cstdint>
#include <random>
#include <vector>

#include "branchline/exact_products.hpp"
#include "check.hpp"

namespace {

using namespace branchline;
using Vector = std::vector<double>;

// Rows of some terms, of which term 1 is 0 or 1.
Vector drawn(std::size_t n_terms, std::size_t n_rows, std::uint64_t seed) {
    std::mt19937_64 generator(seed);
    std::uniform_real_distribution<double> uniform(-1.0, 1.0);
    Vector made(n_terms * n_rows);
    for (double& value : made) value = uniform(generator);
    for (std::size_t row = 0; row < n_rows; ++row)
        made[n_rows + row] = made[n_rows + row] > 0 ? 1.0 : 0.0;
    return made;
}

// The slices of a number, one by one.
Vector slices_of(double value, std::size_t n_slices) {
    Vector found;
    for (std::size_t i = 0; i < n_slices; ++i) {
        const int down = 20 + 21 * static_cast<int>(i);
        found.push_back(std::ldexp(std::nearbyint(std::ldexp(value, down)), -down));
        value -= found.back();
    }
    return found;
}

const check::Test one_by_one{"exact products: those of slices one by one", [] {
    constexpr std::size_t n_terms = 3;
    const Vector power{1.0, 1.0, 0.5};
    const std::vector<std::uint8_t> is_whole{0, 1, 0};
    for (const std::size_t n_rows : {1U, 511U, 512U, 513U, 1300U}) {
        const Vector rows = drawn(n_terms, n_rows, n_rows);
        for (std::size_t n_slices = 1; n_slices <= 3; ++n_slices) {
            const CutTerms terms{power, is_whole, n_slices};
            const std::size_t size = terms.size();
            check::equal(size, 2 * n_slices + 1);
            Vector slices(size * n_rows), sums(size * size);
            for (std::size_t row = 0; row < n_rows; ++row) {
                const Vector first = slices_of(rows[row], n_slices);
                const Vector last = slices_of(0.5 * rows[2 * n_rows + row], n_slices);
                for (std::size_t i = 0; i < n_slices; ++i) {
                    slices[2 * i * n_rows + row] = first[i];
                    slices[(2 * i + 1) * n_rows + row] = last[i];
                }
                slices[(size - 1) * n_rows + row] = rows[n_rows + row];
            }
            for (std::size_t i = 0; i < size; ++i)
                for (std::size_t j = 0; j < size; ++j)
                    for (std::size_t row = 0; row < n_rows; ++row)
                        sums[i * size + j] += slices[i * n_rows + row] * slices[j * n_rows + row];
            const TermRows borrowed{rows.data(), n_rows, {}};
            check::that(exact_squares(terms, borrowed, n_rows) == sums, "squares");
            check::that(exact_products(terms, borrowed, terms, borrowed, n_rows) == sums,
                        "products");
        }
    }
}};

const check::Test factors{"exact products: rows times a factor", [] {
    constexpr std::size_t n_rows = 700;
    const Vector rows = drawn(2, n_rows, 1), power{1.0, 1.0};
    const std::vector<std::uint8_t> is_whole{0, 0};
    const CutTerms terms{power, is_whole, 2};
    Vector factor = drawn(2, n_rows, 2);
    factor.resize(n_rows);
    Vector scaled = rows;
    for (std::size_t i = 0; i < scaled.size(); ++i) scaled[i] *= factor[i % n_rows];
    check::that(exact_squares(terms, {rows.data(), n_rows, factor}, n_rows) ==
                    exact_squares(terms, {scaled.data(), n_rows, {}}, n_rows),
                "a factor is multiplied first");
}};

}  // namespace
