// Kernels of records: every processor level against one row and one column after another.
#include <cstdint>
#include <random>
#include <vector>

#include "check.hpp"
#include "forest/level_kernels.hpp"
#include "forest/threshold_values.hpp"
#include "test_data.hpp"

namespace {

using namespace test_data;
using namespace branchline::forest;

struct Records {
    Records(std::size_t rows, std::size_t width, std::uint64_t seed)
        : bytes(rows * width + 64), place(rows), words(rows), generator(seed) {
        for (std::uint8_t& byte : bytes) {
            byte = static_cast<std::uint8_t>(generator() % 20 == 0 ? missing_byte : generator());
        }
        for (std::size_t i = 0; i < rows; ++i) {
            place[i] = static_cast<std::uint32_t>(generator() % rows * width);
            words[i] = static_cast<std::int64_t>(generator()) >> 20;
        }
        stride = width;
    }
    RecordRows rows() const { return {bytes.data(), place.data(), place.size(), stride, true}; }
    std::uint8_t at(std::size_t row, std::size_t column) const {
        return bytes[place[row] + column];
    }

    std::vector<std::uint8_t> bytes;
    std::vector<std::uint32_t> place;
    std::vector<std::int64_t> words;
    std::mt19937_64 generator;
    std::size_t stride;
};

// Calls work(kernels, records) on every level, for records of every width and many numbers of rows.
template <class Work>
void on_every_level(Work&& work) {
    for (const CpuLevel level : available_cpu_levels()) {
        const RecordKernels kernels = level_kernels_for(level).records;
        for (const std::size_t stride : {16, 32, 64}) {
            for (const std::size_t n_rows : {1, 2, 7, 8, 9, 16, 17, 100, 255, 256, 1000}) {
                Records records(n_rows, stride, n_rows + stride);
                work(kernels, records);
            }
        }
    }
}

// Cuts of some columns, in no order.
struct SomeCuts {
    SomeCuts(Records& records, std::size_t n) {
        std::vector<std::uint32_t> all(records.stride);
        for (std::uint32_t c = 0; c < all.size(); ++c) all[c] = c;
        std::shuffle(all.begin(), all.end(), records.generator);
        columns.assign(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(n));
        cuts.n = n;
        cuts.column = columns.data();
        std::fill(std::begin(cuts.last_left), std::end(cuts.last_left), 0);
        for (const std::uint32_t c : columns) {
            cuts.last_left[c] = static_cast<std::uint8_t>(1 + records.generator() % 254);
        }
    }
    std::vector<std::uint32_t> columns;
    NodeCuts cuts;
};

const check::Test ranges{"the range of every column, on every level", [] {
    on_every_level([](const RecordKernels& kernels, const Records& records) {
        RecordRange range;
        kernels.find_range(records.rows(), range);
        for (std::size_t c = 0; c < records.stride; ++c) {
            std::uint8_t lowest = 255, highest = 0;
            std::uint32_t highest_code = 0;
            for (std::size_t i = 0; i < records.place.size(); ++i) {
                lowest = std::min(lowest, records.at(i, c));
                highest = std::max(highest, records.at(i, c));
                highest_code = std::max(highest_code, code_of_byte(records.at(i, c)));
            }
            check::equal(+range.lowest[c], +lowest);
            check::equal(+range.highest[c], +highest);
            check::equal(std::uint32_t{range.highest_code[c]}, highest_code);
        }
    });
}};

const check::Test counts{"rows of each class on the left of cuts, on every level", [] {
    on_every_level([](const RecordKernels& kernels, Records& records) {
        const SomeCuts some(records, std::min<std::size_t>(9, records.stride));
        const auto n = static_cast<std::int64_t>(records.place.size());
        const std::vector<std::int64_t> lengths{n / 3, 0, n - n / 3};
        std::vector<std::uint64_t> left(records.place.size());
        std::vector<std::uint32_t> seen(lengths.size() * node_lanes);
        kernels.count_left(records.rows(), {lengths.data(), lengths.size()}, some.cuts, left.data(),
                           seen.data());
        for (std::size_t lane = 0; lane < some.cuts.n; ++lane) {
            const std::uint32_t column = some.columns[lane];
            std::vector<std::uint32_t> expected(3);
            for (std::size_t i = 0; i < records.place.size(); ++i) {
                const bool is_left = records.at(i, column) < some.cuts.last_left[column];
                check::equal((left[i] >> column & 1) != 0, is_left);
                expected[static_cast<std::int64_t>(i) < n / 3 ? 0 : 2] += is_left;
            }
            for (std::size_t c = 0; c < 3; ++c) {
                check::equal(seen[c * node_lanes + lane], expected[c]);
            }
        }
    });
}};

const check::Test sums{"sums on the left of few and of many cuts, on every level", [] {
    on_every_level([](const RecordKernels& kernels, Records& records) {
        for (const std::size_t n_cuts : {1, 8, 9, 16, 30, 64}) {
            const SomeCuts some(records, std::min<std::size_t>(n_cuts, records.stride));
            std::vector<std::uint64_t> left(records.place.size());
            std::vector<NumberCell> seen(node_lanes);
            kernels.sum_left(records.rows(), records.words.data(), some.cuts, left.data(),
                             seen.data());
            for (std::size_t lane = 0; lane < some.cuts.n; ++lane) {
                const std::uint32_t column = some.columns[lane];
                NumberCell expected{0, 0};
                for (std::size_t i = 0; i < records.place.size(); ++i) {
                    if (records.at(i, column) >= some.cuts.last_left[column]) continue;
                    ++expected.units;
                    expected.sum += records.words[i];
                }
                check::equal(seen[lane].units, expected.units);
                check::equal(seen[lane].sum, expected.sum);
            }
        }
    });
}};

const check::Test parts{"partitioned rows stay in order, on every level", [] {
    on_every_level([](const RecordKernels& kernels, Records& records) {
        const std::size_t n = records.place.size();
        std::vector<std::uint64_t> left(n);
        for (std::uint64_t& bits : left) bits = records.generator();
        const std::uint32_t column = records.generator() % 64;
        for (const bool with_words : {false, true}) {
            std::vector<std::uint32_t> place = records.place, spare_place(n), expected_place;
            std::vector<std::int64_t> words = records.words, spare_words(n), expected_words;
            for (const bool is_right : {false, true}) {
                for (std::size_t i = 0; i < n; ++i) {
                    if (((left[i] >> column & 1) != 0) == is_right) continue;
                    expected_place.push_back(place[i]);
                    expected_words.push_back(words[i]);
                }
            }
            const auto part = with_words ? kernels.part_words : kernels.part;
            const std::size_t n_left = part(n, left.data(), column, {place.data(), words.data()},
                                            {spare_place.data(), spare_words.data()});
            check::equal(place, expected_place);
            check::equal(words, with_words ? expected_words : records.words);
            check::equal(n_left, static_cast<std::size_t>(std::count_if(left.begin(), left.end(),
                                                                        [&](std::uint64_t bits) {
                return (bits >> column & 1) != 0;
            })));
        }
    });
}};

const check::Test copies{"records are copied one after another, on every level", [] {
    on_every_level([](const RecordKernels& kernels, const Records& records) {
        std::vector<std::uint8_t> copy(records.place.size() * records.stride);
        kernels.copy(records.rows(), copy.data());
        for (std::size_t i = 0; i < copy.size(); ++i) {
            check::equal(+copy[i], +records.at(i / records.stride, i % records.stride));
        }
    });
}};

const check::Test thresholds{"a threshold falls behind the last code whose middle it is not below",
                             [] {
    std::mt19937_64 generator(3);
    std::vector<std::vector<double>> lowest(6), highest(6);
    std::vector<KnownCodes> known;
    for (std::size_t c = 0; c < lowest.size(); ++c) {
        double value = c == 5 ? -1e300 : -7;
        for (std::size_t code = 0; code < 2 + 50 * c; ++code) {
            lowest[c].push_back(value);
            highest[c].push_back(value +=
                                 c == 4 ? std::exp(std::normal_distribution(0., 6.)(generator))
                                        : static_cast<double>(generator() % 3));
            value += c == 5 ? 1e298 : 1;
        }
        known.push_back({lowest[c], highest[c]});
    }
    const ThresholdValues values(known);
    for (const CpuLevel level : available_cpu_levels()) {
        for (const std::size_t n : {1, 5, 8, 13, 200}) {
            std::vector<std::uint32_t> column(n + 7), low(n + 7), high(n + 7), last(n + 7);
            std::vector<double> uniform(n + 7), half(n + 7);
            for (std::size_t i = 0; i < n; ++i) {
                column[i] = static_cast<std::uint32_t>(generator() % 6);
                const std::size_t n_codes = lowest[column[i]].size();
                low[i] = static_cast<std::uint32_t>(1 + generator() % (n_codes - 1));
                high[i] = static_cast<std::uint32_t>(low[i] + 1 + generator() % (n_codes - low[i]));
                uniform[i] = static_cast<double>(generator() >> 11) * 0x1p-53;
            }
            level_kernels_for(level).records.find_cuts(
                values.tables(), {n, column.data(), low.data(), high.data(), uniform.data(),
                                  last.data(), half.data()});
            for (std::size_t i = 0; i < n; ++i) {
                const auto& known_low = lowest[column[i]];
                const auto& known_high = highest[column[i]];
                const double from = known_low[low[i] - 1] / 2, to = known_high[high[i] - 1] / 2;
                const double threshold = 2 * (from + uniform[i] * (to - from));
                std::uint32_t expected = low[i];
                while (expected + 1 < high[i] &&
                       known_low[expected] / 2 + known_high[expected] / 2 <= threshold) {
                    ++expected;
                }
                check::equal(last[i], expected);
                check::equal(2 * half[i], threshold);
            }
        }
    }
}};

}  // namespace
