// What a node may test beside the columns of the table.
#pragma once

#include <memory>

#include "branchline/node_tests.hpp"

namespace branchline::node_tests {

struct Node {
    std::span<const RowIndex> rows;
    std::uint64_t key = 0;  // of its path from the root
    int depth_left = 1;
};

// Columns for one node, by row of the table. An exclusive offer stands instead of the table's columns.
struct Offer {
    std::vector<GrowColumn> columns;
    bool is_exclusive = false;
};

class Maker {
  public:
    Maker() = default;
    Maker(const Maker&) = delete;
    Maker& operator=(const Maker&) = delete;
    virtual ~Maker() = default;

    // Nodes of less weight are grown on the columns of the table alone.
    virtual double fewest_rows() const { return 0; }
    // The columns of an offer live until the next call.
    virtual Offer offer(const Node& node) = 0;
    // The node took the offered column k: writes its test to `grown`, whose last node it is.
    virtual void keep(std::size_t k, TreeOfNodes& grown, std::size_t node) = 0;
};

std::unique_ptr<Maker> make_projections(const NodeTestInput& input, const GrowOptions& options,
                                        const NodeTestOptions& tests);
std::unique_ptr<Maker> make_centers(const NodeTestInput& input);
std::unique_ptr<Maker> make_lookahead(const NodeTestInput& input, const GrowOptions& options,
                                      const NodeTestOptions& tests, StopSignal& stop);

inline std::int64_t units_of(const GrowTarget& target, RowIndex row) {
    return target.units.empty() ? 1 : target.units[row];
}

// Sums of products that are exact, whatever the weights.
__extension__ typedef __int128 Wide;

}  // namespace branchline::node_tests
