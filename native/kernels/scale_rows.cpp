#include "branchline/scale_rows.hpp"

#include <algorithm>

namespace branchline {

void scale_rows(std::span<double> cells, const RowScales& scales) {
    const std::size_t width = scales.power.size();
    if (width == 0) return;
    for (std::size_t first = 0; first < cells.size(); first += width) {
        for (std::size_t c = 0; c < width; ++c) {
            double& cell = cells[first + c];
            const double scaled =
                cell == cell ? (cell * scales.power[c] - scales.center[c]) / scales.spread[c]
                             : scales.fill[c];
            cell = std::min(std::max(scaled, -scales.largest), scales.largest);
        }
    }
}

}  // namespace branchline
