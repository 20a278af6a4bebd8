// Scores of families of a Bayesian network: how well a column is described, given its parents.
//
// Nouns: a "family" is a column (the child) and its parents; a "configuration" is a combination of levels of
// the parents, of which there are q; r is the number of levels of the child. n_jk counts rows of configuration
// j with level k, n_j all rows of configuration j, N all rows.
//
//   BIC   Σ_jk n_jk log(n_jk / n_j) − ½ log(N) q (r − 1)
//   BDeu  Σ_j [log Γ(a) − log Γ(a + n_j)] + Σ_jk [log Γ(b + n_jk) − log Γ(b)],  a = s/q, b = s/(q r)
//
// with s the equivalent sample size. Both are decomposable, and equal for networks that imply the same
// independences. Higher is better.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace branchline {

inline constexpr std::uint16_t missing_level = 0xFFFF;

// Columns one after the other: the level of row r in column c is levels[c * n_rows + r], below n_levels[c], or
// missing_level. A row counts units[r], each of weight `unit`.
struct NetworkRows {
    std::span<const std::uint16_t> levels;
    std::span<const std::uint32_t> n_levels;
    std::span<const std::int64_t> units;
    double unit = 1.0;

    std::size_t n_rows() const noexcept { return units.size(); }
    std::size_t n_columns() const noexcept { return n_levels.size(); }
    std::span<const std::uint16_t> column(std::size_t at) const {
        return levels.subspan(at * n_rows(), n_rows());
    }
};

struct NetworkScore {
    bool is_bdeu = false;
    double sample_size = 1.0;
};

// Parents as one number per row: the configuration, numbered among those that occur.
struct Configurations {
    std::vector<std::uint32_t> of_row;
    std::size_t n_seen = 1;
    double n_possible = 1.0;  // q
};

// Counts and scores families. Requires: no missing level. Cost: a pass over the rows for each parent that is
// added to configurations, and one for each score. Allocates; draws nothing; one thread.
class FamilyScorer {
  public:
    FamilyScorer(const NetworkRows& rows, const NetworkScore& rule);

    Configurations no_parents() const;
    Configurations with(const Configurations& before, std::size_t parent);
    Configurations of(std::span<const std::uint32_t> parents);
    double score(std::size_t child, const Configurations& parents);
    // The score with one more parent, without making its configurations.
    double score_with(std::size_t child, const Configurations& parents, std::size_t parent);
    // The highest score that `q` configurations could have: BIC's penalty alone. BDeu: 0.
    double bound(std::size_t child, double n_possible) const;
    const NetworkRows& rows() const noexcept { return rows_; }

  private:
    double total(std::span<const std::int64_t> counts, std::size_t r, double n_possible) const;
    double sparse(std::size_t child, const Configurations& parents,
                  std::span<const std::uint16_t> more, double n_possible);
    double xlogx(std::int64_t units) const;

    const NetworkRows& rows_;
    NetworkScore rule_;
    double half_log_rows_;
    std::vector<std::int64_t> counts_;
    std::vector<double> table_;
};

// For each pair of columns, child c and parent p, at [c * n + p]: the log likelihood that the parent adds on the
// rows where both (and the column `given`, when it is one) are known, and the weight of these rows.
struct PairGains {
    std::vector<double> gain;
    std::vector<double> weight;
};
PairGains pair_gains(const NetworkRows& rows, std::int64_t given);

}  // namespace branchline
