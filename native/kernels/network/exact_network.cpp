#include <bit>
#include <cmath>
#include <limits>

#include "branchline/network_search.hpp"

namespace branchline {

namespace {

using Mask = std::uint32_t;
constexpr double nothing = -std::numeric_limits<double>::infinity();

// Of two scores that differ by rounding alone, the first is kept.
bool is_better(double score, double than) {
    if (than == nothing) return score > nothing;
    return score > than + 1e-10 * (1.0 + std::abs(than));
}

// The best parents of one column within each set of columns.
class ParentSets {
  public:
    ParentSets(FamilyScorer& scorer, const NetworkLimits& limits, std::size_t child)
        : scorer_(scorer), child_(child), max_parents_(limits.max_parents) {
        const std::size_t n = scorer.rows().n_columns();
        best.assign(std::size_t{1} << n, nothing);
        parents.assign(std::size_t{1} << n, 0);
        for (std::size_t p = 0; p < n; ++p) {
            if (limits.required[child * n + p]) required_ |= Mask{1} << p;
            if (limits.allowed[child * n + p]) candidates_.push_back(p);
        }
    }

    void fill(StopSignal& stop) {
        Configurations base = scorer_.no_parents();
        for (const std::size_t p : candidates_) {
            if (required_ >> p & 1U) base = scorer_.with(base, p);
        }
        set(required_, scorer_.score(child_, base));
        alone_ = best[required_];
        grow(base, required_, 0, stop);
        spread();
    }

    std::vector<double> best;
    std::vector<Mask> parents;

  private:
    void set(Mask mask, double score) {
        best[mask] = score;
        parents[mask] = mask;
    }

    void grow(const Configurations& base, Mask mask, std::size_t next, StopSignal& stop) {
        if (static_cast<std::size_t>(std::popcount(mask)) >= max_parents_) return;
        for (std::size_t at = next; at < candidates_.size(); ++at) {
            const std::size_t p = candidates_[at];
            if (mask >> p & 1U) continue;
            const double n_possible = base.n_possible * scorer_.rows().n_levels[p];
            if (scorer_.bound(child_, n_possible) < alone_) continue;
            stop.check();
            const Mask grown = mask | Mask{1} << p;
            set(grown, scorer_.score_with(child_, base, p));
            if (static_cast<std::size_t>(std::popcount(grown)) < max_parents_) {
                grow(scorer_.with(base, p), grown, at + 1, stop);
            }
        }
    }

    void spread() {
        for (Mask set = 0; set < best.size(); ++set) {
            const double own = best[set];
            best[set] = nothing;
            for (Mask rest = set; rest; rest &= rest - 1) {
                const Mask less = set & ~(rest & -rest);
                if (is_better(best[less], best[set])) {
                    best[set] = best[less];
                    parents[set] = parents[less];
                }
            }
            if (is_better(own, best[set])) {
                best[set] = own;
                parents[set] = set;
            }
        }
    }

    FamilyScorer& scorer_;
    std::size_t child_, max_parents_;
    Mask required_ = 0;
    double alone_ = nothing;
    std::vector<std::size_t> candidates_;
};

}  // namespace

FoundNetwork exact_network(const NetworkRows& rows, const NetworkScore& rule,
                           const NetworkLimits& limits, StopSignal& stop) {
    const std::size_t n = rows.n_columns();
    FamilyScorer scorer(rows, rule);
    std::vector<ParentSets> sets;
    sets.reserve(n);
    for (std::size_t child = 0; child < n; ++child) {
        sets.emplace_back(scorer, limits, child).fill(stop);
    }
    std::vector<double> best(std::size_t{1} << n, nothing);
    std::vector<std::uint8_t> sink(best.size(), 0);
    best[0] = 0.0;
    for (Mask set = 1; set < best.size(); ++set) {
        for (std::size_t child = 0; child < n; ++child) {
            if (!(set >> child & 1U)) continue;
            const Mask others = set & ~(Mask{1} << child);
            const double score = best[others] + sets[child].best[others];
            if (is_better(score, best[set])) {
                best[set] = score;
                sink[set] = static_cast<std::uint8_t>(child);
            }
        }
    }
    FoundNetwork found{std::vector<std::uint8_t>(n * n, 0), best.back()};
    for (Mask set = static_cast<Mask>(best.size() - 1); set;) {
        const std::size_t child = sink[set];
        set &= ~(Mask{1} << child);
        for (std::size_t p = 0; p < n; ++p)
            found.parents[child * n + p] = sets[child].parents[set] >> p & 1U;
    }
    return found;
}

}  // namespace branchline
