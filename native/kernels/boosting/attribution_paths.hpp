// A tree as its branches, depth first, with what does not depend on rows; see attributions.hpp.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "boosting/attribution_kernels.hpp"
#include "branchline/attributions.hpp"

namespace branchline {

// Where the parts of a tree begin in the arrays of a forest.
struct TreePart {
    std::size_t node = 0, inner = 0, leaf = 0, pool = 0;
};

// One entry per tree and one more. Requires: check_forest.
std::vector<TreePart> find_parts(const ForestView& trees);

struct TreePaths {
    std::vector<Branch> branches;
    std::vector<AgreeingOrNot> factors, weights;
    std::size_t n_points = 1, n_depths = 1;  // the root counts as a depth
};

// Throws std::invalid_argument unless covers are finite, at least 0 and positive in sum.
TreePaths make_paths(const AttributedTrees& model, const TreePart& begin, const TreePart& end);

// What a point of Gauss and Legendre on 0..1 stands for: ∫ p(t) dt = Σ weight · p(t).
struct QuadraturePoint {
    double t, rest, weight;  // rest = 1 − t
};

// Exact for polynomials below degree 2 n.
std::vector<QuadraturePoint> gauss_legendre(std::size_t n);

}  // namespace branchline
