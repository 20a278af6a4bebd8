// Tests of nodes as words: what is read is what was written, and nothing else is taken for it.
#include <random>
#include <stdexcept>

#include "boosting/part_cuts.hpp"
#include "check.hpp"

namespace {

using namespace branchline;
using namespace branchline::boosting;
using Words = std::vector<std::uint64_t>;

BlockedRows rows_with(std::size_t n_codes) {
    BlockedRows rows;
    rows.columns.resize(3);
    for (GrowColumn& column : rows.columns) column.n_codes = n_codes;
    return rows;
}

Cut random_cut(std::mt19937_64& draws, std::size_t n_codes) {
    Cut cut;
    cut.gain = static_cast<double>(draws() % 5);
    if (!(cut.gain > 0)) return cut;
    cut.side.column = static_cast<std::uint32_t>(draws() % 3);
    cut.side.is_threshold = draws() % 2 == 0;
    cut.side.missing_left = draws() % 2 == 0;
    cut.side.cut = static_cast<Code>(draws() % n_codes);
    cut.right_code = static_cast<Code>(draws() % n_codes);
    cut.left = {-static_cast<std::int64_t>(draws() >> 2), draws()};
    if (cut.side.is_threshold) return cut;
    for (std::size_t code = 0; code <= n_codes; ++code) {
        cut.side.goes_right.push_back(static_cast<std::uint8_t>(draws() % 2));
    }
    return cut;
}

void compare(const Cut& read, const Cut& written) {
    check::equal(read.gain, written.gain);
    check::equal(read.side.column, written.side.column);
    check::that(read.side.is_threshold == written.side.is_threshold, "the kind of test");
    check::that(read.side.missing_left == written.side.missing_left, "the side of missing values");
    check::equal(read.side.cut, written.side.cut);
    check::equal(read.right_code, written.right_code);
    check::equal(read.left.g, written.left.g);
    check::equal(read.left.hn, written.left.hn);
    check::that(read.side.goes_right == written.side.goes_right, "the categories");
}

const check::Test words{"boosting: tests are read from words as they were written", [] {
    std::mt19937_64 draws(1);
    for (const std::size_t n_codes : {1, 62, 63, 64, 65, 200}) {
        const BlockedRows rows = rows_with(n_codes);
        std::vector<Cut> cuts;
        Words told;
        write_sums({-7, 9}, told);
        for (int number = 0; number < 40; ++number) {
            cuts.push_back(random_cut(draws, n_codes));
            write_cut(cuts.back(), told);
        }
        WordReader reader(told);
        const NodeSums sums = reader.sums();
        check::equal(sums.g, std::int64_t{-7});
        check::equal(sums.hn, std::uint64_t{9});
        for (const Cut& cut : cuts) compare(reader.cut(rows), cut);
        reader.finish();
        check::that(reader.is_done(), "all words");
        check::throws<std::invalid_argument>([&] { reader.next(); });
    }
}};

const check::Test others{"boosting: words that are too few, too many or of other columns", [] {
    std::mt19937_64 draws(2);
    const BlockedRows rows = rows_with(70);
    Cut cut;
    while (!(cut.gain > 0) || cut.side.is_threshold) cut = random_cut(draws, 70);
    Words told;
    write_cut(cut, told);
    for (std::size_t n = 0; n < told.size(); ++n) {
        const Words fewer(told.begin(), told.begin() + static_cast<std::ptrdiff_t>(n));
        check::throws<std::invalid_argument>([&] { WordReader(fewer).cut(rows); });
    }
    told.push_back(0);
    WordReader reader(told);
    compare(reader.cut(rows), cut);
    check::throws<std::invalid_argument>([&] { reader.finish(); });
    told[1] = 3;
    check::throws<std::invalid_argument>([&] { WordReader(told).cut(rows); });
}};

}  // namespace
