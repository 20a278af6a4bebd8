#include "boosting/part_cuts.hpp"

#include <bit>

#include "boosting/checks.hpp"

namespace branchline::boosting {

namespace {

constexpr std::uint64_t threshold_flag = 1, missing_flag = 2;

}  // namespace

void write_sums(const NodeSums& sums, std::vector<std::uint64_t>& words) {
    words.push_back(static_cast<std::uint64_t>(sums.g));
    words.push_back(sums.hn);
}

void write_cut(const Cut& cut, std::vector<std::uint64_t>& words) {
    words.push_back(std::bit_cast<std::uint64_t>(cut.gain));
    if (!(cut.gain > 0)) return;
    const Side& side = cut.side;
    words.push_back(side.column);
    words.push_back((side.is_threshold ? threshold_flag : 0) |
                    (side.missing_left ? missing_flag : 0));
    words.push_back(side.cut);
    words.push_back(cut.right_code);
    write_sums(cut.left, words);
    for (std::size_t code = 0; code < side.goes_right.size(); ++code) {
        if (code % 64 == 0) words.push_back(0);
        words.back() |= std::uint64_t{side.goes_right[code] != 0} << code % 64;
    }
}

std::uint64_t WordReader::next() {
    require(at_ < words_.size(), "one more word of a test");
    return words_[at_++];
}

NodeSums WordReader::sums() {
    const auto g = static_cast<std::int64_t>(next());
    return {g, next()};
}

Cut WordReader::cut(const BlockedRows& rows) {
    Cut cut;
    cut.gain = std::bit_cast<double>(next());
    if (!(cut.gain > 0)) return cut;
    const std::uint64_t column = next();
    require(column < rows.columns.size(), "a column that is there");
    Side& side = cut.side;
    side.column = static_cast<std::uint32_t>(column);
    const std::uint64_t flags = next();
    side.is_threshold = (flags & threshold_flag) != 0;
    side.missing_left = (flags & missing_flag) != 0;
    side.cut = static_cast<Code>(next());
    cut.right_code = static_cast<Code>(next());
    cut.left = sums();
    if (side.is_threshold) return cut;
    side.goes_right.resize(rows.columns[column].n_codes + 1);
    std::uint64_t bits = 0;
    for (std::size_t code = 0; code < side.goes_right.size(); ++code) {
        if (code % 64 == 0) bits = next();
        side.goes_right[code] = static_cast<std::uint8_t>(bits >> code % 64 & 1);
    }
    return cut;
}

void WordReader::finish() const { require(is_done(), "no more words of tests"); }

}  // namespace branchline::boosting
