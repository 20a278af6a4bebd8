#include "branchline/scale_rows.hpp"

#include <algorithm>

namespace branchline {

void scale_rows(std::span<double> cells, const RowScales& scales) {
    const std::size_t width = scales.power.size();
    if (width == 0) return;
    const double *power = scales.power.data(), *center = scales.center.data();
    const double *spread = scales.spread.data(), *fill = scales.fill.data();
    const double largest = scales.largest;
    for (double* row = cells.data(); row != cells.data() + cells.size(); row += width) {
#pragma GCC ivdep
        for (std::size_t c = 0; c < width; ++c) {
            const double cell = row[c], scaled = (cell * power[c] - center[c]) / spread[c];
            const double known = cell == cell ? scaled : fill[c];
            row[c] = std::min(std::max(known, -largest), largest);
        }
    }
}

}  // namespace branchline
