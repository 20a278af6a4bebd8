// Thresholds from counts of two classes: kernels of every processor level against the search that
// takes entries one by one, bit for bit.
#include <algorithm>
#include <numeric>

#include "check.hpp"
#include "test_data.hpp"
#include "tree/counted_scan.hpp"
#include "tree/cut.hpp"
#include "tree/split_sides.hpp"

namespace {

using namespace test_data;
using namespace branchline::tree;
using Sides = ClassSides<GiniImpurity, TwoCounts>;

// Rows of a node: codes from 1 on, or 0 where they are missing.
struct Rows {
    Rows(std::size_t n, std::size_t n_codes, std::int64_t most_units, bool with_missing)
        : codes(n), classes(n), units(n), rows(n) {
        std::mt19937_64 random(n * 1000 + n_codes);
        for (std::size_t i = 0; i < n; ++i) {
            const bool is_missing = with_missing && random() % 5 == 0;
            codes[i] = static_cast<std::uint8_t>(is_missing ? 0 : 1 + random() % n_codes);
            classes[i] = static_cast<std::uint32_t>((codes[i] + random() % n_codes) / n_codes);
            units[i] = 1 + static_cast<std::int64_t>(random() >> 1) % most_units;
        }
        std::iota(rows.begin(), rows.end(), RowIndex{0});
        target.class_of_row = classes;
        target.units = units;
        target.n_classes = 2;
        column.codes = codes_of(codes);
        column.n_codes = n_codes;
    }

    std::vector<ClassPair> pairs() const {
        std::vector<ClassPair> made(rows.size());
        for (std::size_t i = 0; i < rows.size(); ++i) {
            made[i] = classes[i] == 1 ? ClassPair{0, units[i]} : ClassPair{units[i], 0};
        }
        return made;
    }

    std::vector<std::uint8_t> codes;
    std::vector<std::uint32_t> classes;
    std::vector<std::int64_t> units;
    std::vector<RowIndex> rows;
    GrowTarget target;
    GrowColumn column;
};

NodeFacts facts_of(const Rows& rows) {
    NodeFacts facts;
    facts.content.assign(2, 0);
    for (std::size_t i = 0; i < rows.rows.size(); ++i) {
        facts.content[rows.classes[i]] += rows.units[i];
    }
    facts.weight = facts.content[0] + facts.content[1];
    facts.impurity_weight = static_cast<double>(facts.weight);
    facts.badness = GiniImpurity::badness(facts.content, facts.weight, LogTable(0));
    facts.slack = 1e-12;
    return facts;
}

struct Found {
    double badness;
    Code code;  // the last one on the left; 0: no cut
};

Found expected_cut(const Rows& rows, const NodeFacts& facts, std::int64_t min_leaf,
                   bool missing_left) {
    const LogTable logs(0);
    Sides sides(rows.target, logs);
    EntryScratch scratch;
    std::vector<ClassEntry> entries;
    collect(rows.column, {rows.rows, {}}, rows.target, scratch, entries);
    const auto present = std::find_if(entries.begin(), entries.end(),
                                      [](const ClassEntry& e) { return e.code != missing_code; });
    const auto n_missing = static_cast<std::size_t>(present - entries.begin());
    const std::span<const ClassEntry> all(entries);
    const NodeColumn<ClassEntry> column{all.subspan(n_missing), all.first(n_missing), facts};
    Cut best;
    CutSearch<Sides> search(sides, column, min_leaf);
    search.scan_in_order(missing_left ? MissingSide::left : MissingSide::right, best);
    return {best.badness, best.found() ? column.present[best.n_left - 1].code : 0};
}

Found seen_cut(const CountedCuts& cuts, const NodeFacts& facts, std::int64_t min_leaf,
               bool missing_left, CpuLevel level) {
    CountedStart start{
        {}, {facts.content[0], facts.content[1]}, facts.badness, min_leaf, facts.badness_slack()};
    if (missing_left) start.before = cuts.missing;
    const CountedResult seen = scan_counts_for(level)(cuts.blocks(), start, {});
    return {seen.badness, seen.found() ? cuts.sign[seen.place] : 0};
}

void same_cuts(const Rows& rows) {
    const NodeFacts facts = facts_of(rows);
    CountedCuts counted, ordered;
    count_cuts(rows.column, rows.rows, rows.pairs(), counted);
    GrowColumn column = rows.column;
    const auto order = order_rows(column, rows.rows.size());
    column.order = order;
    order_cuts(column, rows.pairs(), ordered);
    for (const std::int64_t min_leaf : {std::int64_t{1}, 1 + facts.weight / 3, facts.weight}) {
        for (const bool missing_left : {false, true}) {
            const Found expected = expected_cut(rows, facts, min_leaf, missing_left);
            for (const CpuLevel level : available_cpu_levels()) {
                const Found seen = seen_cut(counted, facts, min_leaf, missing_left, level);
                check::equal(seen.badness, expected.badness);
                check::equal(seen.code, expected.code);
                if (order.empty()) continue;
                const Found again = seen_cut(ordered, facts, min_leaf, missing_left, level);
                check::equal(again.badness, expected.badness);
                if (expected.code > 0) check::equal(Code{rows.codes[again.code]}, expected.code);
            }
        }
    }
}

const check::Test counted_cuts{"cuts from counts are those from entries, on every level", [] {
    for (const std::size_t n : {1, 2, 15, 16, 17, 71, 1000}) {
        for (const std::size_t n_codes : {1, 2, 16, 33, 71, 255}) {
            for (const std::int64_t most :
                 {std::int64_t{1}, std::int64_t{5}, std::int64_t{1} << 41}) {
                same_cuts(Rows(n, n_codes, most, false));
                same_cuts(Rows(n, n_codes, most, true));
            }
        }
    }
}};

const check::Test again{"cuts are found anew in each node, whichever were found before", [] {
    CountedCuts kept;
    for (const std::size_t n : {1000, 12, 1, 40, 3}) {
        for (const std::size_t n_codes : {255, 2, 100}) {
            const Rows rows(n, n_codes, 7, true);
            CountedCuts fresh;
            count_cuts(rows.column, rows.rows, rows.pairs(), kept);
            count_cuts(rows.column, rows.rows, rows.pairs(), fresh);
            check::equal(kept.n_cuts, fresh.n_cuts);
            check::equal(kept.missing.units(), fresh.missing.units());
            for (std::size_t cut = 0; cut < fresh.n_cuts; ++cut) {
                check::equal(kept.sign[cut], fresh.sign[cut]);
                check::equal(kept.up_to[cut].zeros, fresh.up_to[cut].zeros);
                check::equal(kept.up_to[cut].ones, fresh.up_to[cut].ones);
            }
        }
    }
}};

const check::Test no_cut{"a column without a value has no cut", [] {
    Rows rows(20, 5, 3, false);
    std::fill(rows.codes.begin(), rows.codes.end(), std::uint8_t{0});
    CountedCuts cuts;
    count_cuts(rows.column, rows.rows, rows.pairs(), cuts);
    check::equal(cuts.n_cuts, std::size_t{0});
    check::that(cuts.blocks().empty(), "no blocks");
    check::equal(cuts.missing.units(), facts_of(rows).weight);
}};

const check::Test orders{"rows in order of code, the last of each code marked", [] {
    const std::vector<std::uint8_t> codes{3, 0, 1, 3, 0, 1, 4};
    GrowColumn column;
    column.codes = codes_of(codes);
    column.n_codes = 4;
    const std::vector<std::uint16_t> expected{1 * 2, 4 * 2 + 1, 2 * 2,    5 * 2 + 1,
                                              0 * 2, 3 * 2 + 1, 6 * 2 + 1};
    check::equal(order_rows(column, codes.size()), expected);
    column.n_codes = 3;  // counting costs no more
    check::that(order_rows(column, codes.size()).empty(), "many rows a code");
    column.is_category = true;
    column.n_codes = 4;
    check::that(order_rows(column, codes.size()).empty(), "a category");
}};

}  // namespace
