// The best cut of an ordered list of groups of entries; a group is what one code holds.
#pragma once

#include <array>
#include <limits>
#include <span>
#include <vector>

#include "tree/candidate.hpp"

namespace branchline::tree {

struct Group {
    Code code;
    std::uint32_t begin, end;  // entries of the column
};

template <class Entry>
void find_groups(std::span<const Entry> entries, std::vector<Group>& groups) {
    groups.clear();
    for (std::uint32_t i = 0; i < entries.size(); ++i) {
        if (groups.empty() || groups.back().code != entries[i].code) {
            groups.push_back({entries[i].code, i, i});
        }
        groups.back().end = i + 1;
    }
}

// The first n_left groups of an order go left (thresholds: the first n_left entries), missing values
// where `missing_left` says.
struct Cut {
    double badness = std::numeric_limits<double>::infinity();
    std::size_t n_left = 0;
    bool missing_left = false;
    std::array<std::int64_t, 2> weight{};  // of both sides

    bool found() const { return n_left > 0; }
};

// How missing entries take part in a cut.
enum class MissingSide { apart, right, left };

template <class Sides>
class CutSearch {
  public:
    using Entry = typename Sides::Entry;

    CutSearch(Sides& sides, const NodeColumn<Entry>& column, std::int64_t min_units)
        : sides_(sides), column_(column), min_units_(min_units) {}

    // Tries every cut of `order` and keeps the best in `best`.
    void scan(std::span<const Group> order, MissingSide missing, Cut& best) {
        start(missing);
        for (std::size_t n_left = 1; n_left <= order.size(); ++n_left) {
            move(order[n_left - 1]);
            consider(n_left, missing, best);
        }
    }

    // Tries every threshold.
    void scan_in_order(MissingSide missing, Cut& best) {
        start(missing);
        const auto entries = column_.present;
        for (std::size_t i = 0; i < entries.size();) {
            const Code code = entries[i].code;
            for (; i < entries.size() && entries[i].code == code; ++i) sides_.to_left(entries[i]);
            consider(i, missing, best);
        }
    }

    void start(MissingSide missing) {
        sides_.start(column_.facts.content);
        for (const Entry& entry : column_.missing) {
            if (missing == MissingSide::apart) sides_.drop_right(entry);
            if (missing == MissingSide::left) sides_.to_left(entry);
        }
    }

    void move(const Group& group) {
        for (std::uint32_t i = group.begin; i < group.end; ++i) sides_.to_left(column_.present[i]);
    }

    void consider(std::size_t n_left, MissingSide missing, Cut& best) {
        if (sides_.left_weight() < min_units_ || sides_.right_weight() < min_units_) return;
        ++n_considered;
        const double badness = sides_.badness();
        if (!(badness < best.badness - column_.facts.badness_slack()))
            return;  // the first of equals
        best = {badness,
                n_left,
                missing == MissingSide::left,
                {sides_.left_weight(), sides_.right_weight()}};
    }

    std::size_t n_considered = 0;  // cuts that leave enough on both sides

  private:
    Sides& sides_;
    const NodeColumn<Entry>& column_;
    std::int64_t min_units_;
};

}  // namespace branchline::tree
