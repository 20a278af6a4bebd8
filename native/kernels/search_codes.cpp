// Searching the code of each value among known ranges.
#include "search_codes.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "encode_categories.hpp"
#include "search_bins.hpp"

namespace branchline {

namespace baseline {
void search32(const float*, std::size_t, const BinEdges<float>&, std::uint8_t*);
void search64(const double*, std::size_t, const BinEdges<double>&, std::uint8_t*);
}  // namespace baseline
#if defined(__x86_64__)
namespace v3 {
void search32(const float*, std::size_t, const BinEdges<float>&, std::uint8_t*);
void search64(const double*, std::size_t, const BinEdges<double>&, std::uint8_t*);
}  // namespace v3
namespace v4 {
void search32(const float*, std::size_t, const BinEdges<float>&, std::uint8_t*);
void search64(const double*, std::size_t, const BinEdges<double>&, std::uint8_t*);
}  // namespace v4
#endif

template <>
SearchBins<float> search_bins_for<float>(CpuLevel level) {
#if defined(__x86_64__)
    if (level == CpuLevel::v4) return v4::search32;
    if (level == CpuLevel::v3) return v3::search32;
#endif
    static_cast<void>(level);
    return baseline::search32;
}

template <>
SearchBins<double> search_bins_for<double>(CpuLevel level) {
#if defined(__x86_64__)
    if (level == CpuLevel::v4) return v4::search64;
    if (level == CpuLevel::v3) return v3::search64;
#endif
    static_cast<void>(level);
    return baseline::search64;
}

double midpoint(double left, double right) noexcept {
    const double middle = left / 2 + right / 2;  // halves first: the sum could overflow
    return middle >= left && middle < right ? middle : left;
}

namespace {

// The largest value of each code but the last, gaps shared out at their midpoints.
std::vector<double> upper_edges(const KnownCodes& known) {
    std::vector<double> edges;
    for (std::size_t c = 0; c + 1 < known.lowest.size(); ++c) {
        edges.push_back(midpoint(known.highest[c], known.lowest[c + 1]));
    }
    return edges;
}

// The largest Float that is not above `edge`, so that comparing Floats equals comparing doubles.
template <class Float>
Float rounded_down(double edge) {
    using Limits = std::numeric_limits<Float>;
    if (edge > static_cast<double>(Limits::max())) return Limits::max();
    if (edge < static_cast<double>(Limits::lowest())) return -Limits::infinity();
    const auto near = static_cast<Float>(edge);
    return static_cast<double>(near) <= edge ? near : std::nextafter(near, -Limits::infinity());
}

template <class Float>
void search_few(const ColumnView& view, std::size_t n_rows, const std::vector<double>& upper,
                CpuLevel level, std::uint8_t* codes) {
    BinEdges<Float> edges;
    std::fill(std::begin(edges.upper), std::end(edges.upper),
              std::numeric_limits<Float>::infinity());
    std::transform(upper.begin(), upper.end(), edges.upper, rounded_down<Float>);
    const auto search = search_bins_for<Float>(level);
    std::array<Float, 1024> block;
    for (std::size_t begin = 0; begin < n_rows; begin += block.size()) {
        const std::size_t count = std::min(block.size(), n_rows - begin);
        for (std::size_t i = 0; i < count; ++i) block[i] = value_at<Float>(view, begin + i);
        search(block.data(), count, edges, codes + begin);
    }
}

template <class Float, class CodeType>
void search_many(const ColumnView& view, std::size_t n_rows, const std::vector<double>& upper,
                 CodeType* codes) {
    for (std::size_t row = 0; row < n_rows; ++row) {
        const auto value = static_cast<double>(value_at<Float>(view, row));
        const auto place = std::lower_bound(upper.begin(), upper.end(), value) - upper.begin();
        codes[row] = static_cast<CodeType>(value == value ? place + 1 : 0);
    }
}

}  // namespace

template <class Float>
void search_codes(const ColumnView& view, std::size_t n_rows, const KnownCodes& known,
                  CpuLevel level, EncodedColumn& column) {
    if (known.lowest.empty()) return;  // nothing was ever seen: everything is missing
    const std::vector<double> upper = upper_edges(known);
    visit_new_codes(column, [&](auto* codes) {
        if constexpr (sizeof *codes == 1) {
            search_few<Float>(view, n_rows, upper, level, codes);
        } else {
            search_many<Float>(view, n_rows, upper, codes);
        }
    });
}

template void search_codes<float>(const ColumnView&, std::size_t, const KnownCodes&, CpuLevel,
                                  EncodedColumn&);
template void search_codes<double>(const ColumnView&, std::size_t, const KnownCodes&, CpuLevel,
                                   EncodedColumn&);

}  // namespace branchline
