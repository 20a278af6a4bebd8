#include "branchline/sum_children.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>

namespace branchline {

namespace {

struct Held {
    std::span<std::int64_t> content;
    std::span<double> spread;
    std::size_t width, n_outputs;
    double unit;
    int bits;

    std::int64_t* of(std::size_t node) const { return content.data() + node * width; }

    double weight(std::size_t node) const { return static_cast<double>(of(node)[0]) * unit; }

    double mean(std::size_t node, std::size_t output) const {
        return static_cast<double>(of(node)[1 + output]) / weight(node);
    }

    double between(std::size_t child, std::size_t node, std::size_t output) const {
        const double shift = std::ldexp(mean(child, output) - mean(node, output), -bits);
        return weight(child) * (shift * shift);
    }
};

}  // namespace

void sum_children(const TreeShape& shape, std::span<std::int64_t> content, std::span<double> spread,
                  double unit, int bits) {
    const std::size_t n_nodes = parents_of(shape).size();
    const Held held{content, spread, content.size() / n_nodes, spread.size() / n_nodes, unit, bits};
    if (held.width * n_nodes != content.size() || held.n_outputs * n_nodes != spread.size() ||
        held.width == 0 || (held.n_outputs > 0 && held.n_outputs + 1 != held.width)) {
        throw std::invalid_argument("a row of content and of spread for each node");
    }
    for (std::size_t node = n_nodes; node-- > 0;) {
        const auto count = static_cast<std::size_t>(shape.n_children[node]);
        if (count == 0) continue;
        const auto first = static_cast<std::size_t>(shape.first_child[node]);
        std::fill_n(held.of(node), held.width, 0);
        for (std::size_t child = first; child < first + count; ++child) {
            for (std::size_t i = 0; i < held.width; ++i) held.of(node)[i] += held.of(child)[i];
        }
        for (std::size_t o = 0; o < held.n_outputs; ++o) {
            double within = 0;
            for (std::size_t child = first; child < first + count; ++child) {
                within += spread[child * held.n_outputs + o] + held.between(child, node, o);
            }
            spread[node * held.n_outputs + o] = within;
        }
    }
}

}  // namespace branchline
