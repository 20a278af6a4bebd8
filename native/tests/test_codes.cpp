#include <algorithm>
#include <cmath>
#include <numeric>

#include "check.hpp"
#include "sort_checks.hpp"
#include "test_data.hpp"

namespace {

using namespace test_data;
using Codes = std::vector<Code>;
using Doubles = std::vector<double>;

const check::Test exact_codes_are_ranks{
    "exact codes are ranks; missing is 0; minus zero equals zero", [] {
    const Coded coded = code(Doubles{2.5, missing, -1, 0.0, 2.5, -0.0});
    check::equal(coded.codes, Codes{3, 0, 1, 2, 3, 2});
    check::equal(coded.lowest, Doubles{-1, 0, 2.5});
    check::equal(coded.highest, Doubles{-1, 0, 2.5});
    check::that(!std::signbit(coded.lowest[1]), "zero is reported without a sign");
}};

const check::Test sparse_codes{"sparse columns have the codes of the same dense ones", [] {
    const Doubles values{2.5, missing, -1, 0.0, 2.5};
    const std::vector<std::int32_t> rows{5, 0, 1, 2, 3};
    const std::vector<std::int64_t> starts{0, 5, 5};
    StopSignal stop;
    for (const int n_threads : thread_counts) {
        const auto found = plain(fit_sparse_codes({values, rows, starts}, 6, n_threads, stop), 6);
        check::that(found[0] == code(Doubles{missing, -1, 0, 2.5, 0, 2.5}),
                    "stored cells and zeros");
        check::that(found[1] == code(Doubles(6, 0.0)), "nothing but zeros");
    }
}};

const check::Test empty_columns{"no rows, one row and only missing rows give what they hold", [] {
    check::equal(code(Doubles{}).codes, Codes{});
    check::equal(code(Doubles{4}, 255).codes, Codes{1});
    for (const std::size_t max_bins : {0u, 2u, 255u, 1000u}) {
        const Coded coded = code(Doubles{missing, missing, missing}, max_bins);
        check::equal(coded.codes, Codes{0, 0, 0});
        check::that(coded.lowest.empty() && coded.highest.empty(), "no code is in use");
    }
}};

const check::Test few_and_many{"few values are looked up, many are sorted: the ranks are the same",
                               [] {
    for (const std::size_t n_values : {4095u, 4096u, 4097u}) {
        Doubles values(3 * n_values);
        Codes expected(values.size());
        for (std::size_t row = 0; row < values.size(); ++row) {
            const std::size_t rank = row * 2003 % n_values;  // in no order
            values[row] = static_cast<double>(rank) - 100.5;
            expected[row] = static_cast<Code>(rank + 1);
        }
        values[1] = missing;
        expected[1] = 0;
        const Coded coded = code(values);
        check::equal(coded.codes, expected);
        check::equal(coded.lowest.size(), n_values);
        check::equal(coded.highest, coded.lowest);
    }
}};

const check::Test widths{"codes are as wide as the number of values needs", [] {
    for (const auto& [n, width] :
         {std::pair<std::size_t, int>{255, 1}, {256, 2}, {65'535, 2}, {65'536, 4}}) {
        Doubles values(n);
        std::iota(values.rbegin(), values.rend(), -100.0);
        const Coded coded = code(values);
        check::equal(coded.width, width);
        check::equal(coded.codes.front(), static_cast<Code>(n));
        check::equal(coded.codes.back(), Code{1});
    }
}};

const check::Test bins_by_hand{"ten values in three bins are shared out as the rule says", [] {
    const Coded coded = code(Doubles{1, 2, 3, 4, 5, 6, 7, 8, 9, 10}, 3);
    check::equal(coded.codes, Codes{1, 1, 1, 2, 2, 2, 2, 3, 3, 3});
    check::equal(coded.lowest, Doubles{1, 4, 8});
    check::equal(coded.highest, Doubles{3, 7, 10});
}};

const check::Test heavy_value{"a heavy value has a bin of its own", [] {
    Doubles values{1, 2, 4, 5, 6, 7};
    values.resize(26, 3.0);
    const Coded coded = code(values, 3);
    check::equal(coded.lowest, Doubles{1, 3, 4});
    check::equal(coded.highest, Doubles{2, 3, 7});
}};

const check::Test joins_heavy{"when no bin is left, values join the bin before them", [] {
    Doubles values{1, 3, 5};  // light, between two heavy values that leave one bin
    values.resize(23, 2.0);
    values.resize(43, 4.0);
    const Coded coded = code(values, 3);
    check::equal(coded.lowest, Doubles{1, 2, 4});
    check::equal(coded.highest, Doubles{1, 3, 5});
}};

const check::Test weights_are_copies{"weight k is k copies, in few bins and in many", [] {
    const Doubles values = mixed_values<double>(3000, 5);
    std::vector<std::int64_t> units(values.size());
    Doubles copied;
    for (std::size_t i = 0; i < values.size(); ++i) {
        units[i] = static_cast<std::int64_t>(i % 4 + 1);
        copied.insert(copied.end(), i % 4 + 1, values[i]);
    }
    for (const std::size_t max_bins : {2u, 17u, 255u, 256u, 700u}) {
        const Coded weighed = code(values, max_bins, units);
        const Coded counted = code(copied, max_bins);
        check::equal(weighed.lowest, counted.lowest);
        check::equal(weighed.highest, counted.highest);
        std::size_t place = 0;
        for (std::size_t i = 0; i < values.size(); place += i % 4 + 1, ++i) {
            check::equal(weighed.codes[i], counted.codes[place]);
        }
    }
}};

const check::Test two_ways{"many rows are coded the same with and without weights of one", [] {
    const std::size_t n_rows =
        (std::size_t{1} << 19) + 1;  // from here on without weights otherwise
    const std::vector<std::int64_t> ones(n_rows, 1);
    const std::vector<float> singles = mixed_values<float>(n_rows, 8);
    const Doubles doubles = mixed_values<double>(n_rows, 9);
    for (const std::size_t max_bins : {2u, 255u}) {
        check::that(code(singles, max_bins) == code(singles, max_bins, ones), "equal codes");
        check::that(code(doubles, max_bins) == code(doubles, max_bins, ones), "equal codes");
    }
}};

const check::Test strides{"strided and reversed columns equal contiguous ones", [] {
    const Doubles wide = mixed_values<double>(3 * 4000, 2);
    Doubles every_third, backwards;
    for (std::size_t i = 0; i < wide.size(); i += 3) every_third.push_back(wide[i]);
    backwards.assign(every_third.rbegin(), every_third.rend());
    ColumnView reversed = view_of(every_third, 0, -1);
    reversed.data = reinterpret_cast<const std::byte*>(&every_third.back());
    const std::vector<ColumnView> columns{view_of(every_third), view_of(wide, 0, 3), reversed,
                                          view_of(backwards)};
    for (const std::size_t max_bins : {0u, 20u, 300u}) {
        StopSignal stop;
        const auto coded = plain(fit_codes(columns, 4000, {}, {max_bins, 2}, stop), 4000);
        check::that(coded[0] == coded[1], "a strided column equals its copy");
        check::that(coded[2] == coded[3], "a reversed column equals its copy");
    }
}};

const check::Test widths_of_floats{"float32 and float64 of the same values get the same codes", [] {
    const std::vector<float> singles = mixed_values<float>(5000, 9);
    const Doubles doubles(singles.begin(), singles.end());
    for (const std::size_t max_bins : {0u, 3u, 255u, 999u}) {
        check::that(code(singles, max_bins) == code(doubles, max_bins), "equal codes");
    }
}};

const check::Test threads_and_columns{"codes do not depend on the number of threads", [] {
    const std::size_t n_rows = 3000;
    std::vector<std::vector<float>> singles;
    std::vector<Doubles> doubles;
    std::vector<ColumnView> columns;
    for (std::uint64_t c = 0; c < 40; ++c) {
        columns.push_back(view_of(singles.emplace_back(mixed_values<float>(2 * n_rows, c)), 0, 2));
        columns.push_back(view_of(doubles.emplace_back(mixed_values<double>(n_rows, c))));
    }
    const std::vector<std::int64_t> units(n_rows, 3);
    for (const std::size_t max_bins : {0u, 255u}) {
        StopSignal stop;
        const auto alone = plain(fit_codes(columns, n_rows, units, {max_bins, 1}, stop), n_rows);
        for (const int n_threads : thread_counts) {
            const auto coded = fit_codes(columns, n_rows, units, {max_bins, n_threads}, stop);
            check::that(plain(coded, n_rows) == alone, "equal codes");
        }
    }
}};

const check::Test categories{"a category becomes its number plus one, a missing one 0", [] {
    const std::vector<std::int32_t> values{2, -1, 0, -2, 299};
    StopSignal stop;
    const std::vector<ColumnView> columns{view_of(values, 300)}, too_few{view_of(values, 299)};
    const auto coded = plain(fit_codes(columns, 5, {}, {255, 1}, stop), 5)[0];
    check::equal(coded.codes, Codes{3, 0, 1, 0, 300});
    check::equal(coded.width, 2);
    for (const int n_threads : thread_counts) {
        check::throws<std::out_of_range>([&] { fit_codes(too_few, 5, {}, {0, n_threads}, stop); });
    }
}};

const check::Test refusals{"too many rows, no threads and a request to stop are refused", [] {
    const Doubles one{1};
    StopSignal stop, stopped;
    stopped.request();
    const std::vector<ColumnView> columns{view_of(one, 0, 0)};
    check::throws<std::length_error>([&] { fit_codes(columns, max_rows + 1, {}, {255, 1}, stop); });
    check::throws<std::invalid_argument>([&] { fit_codes(columns, 1, {}, {255, 0}, stop); });
    check::throws<Interrupted>([&] { fit_codes(columns, 1, {}, {255, 1}, stopped); });
}};

std::vector<Coded> apply(const std::vector<ColumnView>& columns, std::size_t n_rows,
                         const KnownCodes& known, CpuLevel level, int n_threads = 1) {
    StopSignal stop;
    const std::vector<KnownCodes> each(columns.size(), known);
    return plain(apply_codes(columns, n_rows, each, level, n_threads, stop), n_rows);
}

const check::Test applies{"new values get the code whose range they are in or nearest to", [] {
    const Doubles lowest{0, 10, 20}, highest{5, 10, 30};
    const Doubles values{-9, 0, 5, 7.5, 7.6, 10, 15, 15.1, 30, 99, missing};
    const Codes expected{1, 1, 1, 1, 2, 2, 2, 3, 3, 3, 0};
    const std::vector<float> singles(values.begin(), values.end());
    const std::vector<ColumnView> doubles_column{view_of(values)}, singles_column{view_of(singles)};
    const KnownCodes known{lowest, highest};
    check::equal(apply(doubles_column, 11, known, CpuLevel::baseline)[0].codes, expected);
    check::equal(apply(singles_column, 11, known, CpuLevel::baseline)[0].codes, expected);
    check::equal(apply(doubles_column, 11, {}, CpuLevel::baseline)[0].codes, Codes(11, 0));
    check::throws<std::invalid_argument>(
        [&] { apply(doubles_column, 11, known, static_cast<CpuLevel>(99)); });
    StopSignal stop;
    check::throws<std::invalid_argument>(
        [&] { apply_codes(doubles_column, 11, {}, CpuLevel::baseline, 1, stop); });
}};

template <class Float>
void check_levels(std::size_t max_bins) {
    const std::vector<Float> values = mixed_values<Float>(1500, 3),
                             other = mixed_values<Float>(777, 4);
    const Coded fitted = code(values, max_bins);
    const KnownCodes known{fitted.lowest, fitted.highest};
    const std::vector<ColumnView> old_values{view_of(values)}, new_values(5, view_of(other));
    const auto baseline = apply(new_values, 777, known, CpuLevel::baseline);
    for (const CpuLevel level : available_cpu_levels()) {
        check::equal(apply(old_values, 1500, known, level)[0].codes, fitted.codes);
        for (const int n_threads : thread_counts) {
            check::that(apply(new_values, 777, known, level, n_threads) == baseline, "equal codes");
        }
    }
}

const check::Test levels{"every processor level and thread count gives the same codes", [] {
    for (const std::size_t max_bins : {1u, 2u, 3u, 16u, 254u, 255u, 256u, 0u}) {
        check_levels<float>(max_bins);
        check_levels<double>(max_bins);
    }
}};

const check::Test midpoints{"a midpoint is never the right value and never overflows", [] {
    const double most = std::numeric_limits<double>::max(), least = 5e-324;
    check::equal(midpoint(1, 2), 1.5);
    check::equal(midpoint(-most, most), 0.0);
    check::equal(midpoint(most / 2, most), most * 0.75);
    for (const double left : {-most, -1.0, -least, 0.0, least, 3 * least, 1.0}) {
        const double right = std::nextafter(left, most);
        check::that(midpoint(left, right) >= left && midpoint(left, right) < right, "in between");
    }
}};

}  // namespace
