#include <nanobind/stl/optional.h>

#include "arrays.hpp"
#include "branchline/codes.hpp"
#include "interrupt.hpp"

namespace branchline::bindings {

namespace {

template <class CodeType>
nb::object owned(EncodedColumn&& column, std::size_t n_rows) {
    auto* data = column.codes.release();
    nb::capsule owner(data, [](void* p) noexcept { delete[] static_cast<std::byte*>(p); });
    return nb::cast(
        Out<CodeType>(reinterpret_cast<CodeType*>(data), {n_rows}, std::move(owner)));
}

void keep_same_length(std::size_t& n_rows, const AnyColumn& array, bool is_first) {
    if (is_first) n_rows = array.shape(0);
    require(array.shape(0) == n_rows, "columns of different lengths");
}

}  // namespace

nb::object give_codes(EncodedColumn&& column, std::size_t n_rows) {
    switch (column.width) {
        case 1: return owned<std::uint8_t>(std::move(column), n_rows);
        case 2: return owned<std::uint16_t>(std::move(column), n_rows);
        default: return owned<std::uint32_t>(std::move(column), n_rows);
    }
}

Columns::Columns(const nb::list& columns, const In<std::int32_t>& n_categories) {
    require(columns.size() == n_categories.shape(0), "one n_categories for each column");
    for (std::size_t c = 0; c < columns.size(); ++c) {
        auto array = nb::cast<AnyColumn>(columns[c], false);
        keep_same_length(n_rows_, array, c == 0);
        const bool is_category = n_categories.data()[c] >= 0;
        ValueType type = ValueType::category;
        if (is_category) {
            require(array.dtype() == nb::dtype<std::int32_t>(), "categories must be int32");
        } else if (array.dtype() == nb::dtype<float>()) {
            type = ValueType::float32;
        } else {
            require(array.dtype() == nb::dtype<double>(), "numbers must be float32 or float64");
            type = ValueType::float64;
        }
        const auto size = static_cast<std::ptrdiff_t>(array.itemsize());
        views_.push_back({static_cast<const std::byte*>(array.data()), array.stride(0) * size,
                          type, is_category ? n_categories.data()[c] : 0});
        arrays_.push_back(std::move(array));
    }
}

CodeColumns::CodeColumns(const nb::list& columns) {
    for (std::size_t c = 0; c < columns.size(); ++c) {
        auto array = nb::cast<AnyColumn>(columns[c], false);
        keep_same_length(n_rows_, array, c == 0);
        require(array.dtype().code == static_cast<std::uint8_t>(nb::dlpack::dtype_code::UInt) &&
                    array.itemsize() <= 4 && (n_rows_ < 2 || array.stride(0) == 1),
                "codes must be contiguous uint8, uint16 or uint32");
        views_.push_back(
            {static_cast<const std::byte*>(array.data()), static_cast<int>(array.itemsize())});
        arrays_.push_back(std::move(array));
    }
}

void add_codes(nb::module_& module) {
    module.def("cpu_levels", [] {
        nb::list levels;
        for (const CpuLevel level : available_cpu_levels()) levels.append(static_cast<int>(level));
        return levels;
    });

    module.def(
        "fit_codes",
        [](const nb::list& columns, const In<std::int32_t>& n_categories,
           const std::optional<In<std::int64_t>>& units, std::size_t max_bins, int n_threads) {
            const Columns borrowed(columns, n_categories);
            require(!units || units->shape(0) == borrowed.n_rows(), "one unit for each row");
            auto encoded = without_lock([&](StopSignal& stop) {
                return fit_codes(borrowed.views(), borrowed.n_rows(), span_of(units),
                                 {max_bins, n_threads}, stop);
            });
            nb::list out;
            for (EncodedColumn& column : encoded) {
                auto lowest = give(std::move(column.lowest));
                auto highest = give(std::move(column.highest));
                out.append(nb::make_tuple(give_codes(std::move(column), borrowed.n_rows()),
                                          std::move(lowest), std::move(highest)));
            }
            return out;
        },
        nb::arg("columns"), nb::arg("n_categories").noconvert(),
        nb::arg("units").noconvert().none(), nb::arg("max_bins"), nb::arg("n_threads"),
        "Learn codes; per column: codes, lowest and highest value of each code.");

    module.def(
        "apply_codes",
        [](const nb::list& columns, const In<std::int32_t>& n_categories,
           const nb::list& lowest, const nb::list& highest, int cpu_level, int n_threads) {
            const Columns borrowed(columns, n_categories);
            std::vector<In<double>> kept;
            std::vector<KnownCodes> known;
            for (std::size_t c = 0; c < lowest.size(); ++c) {
                kept.push_back(nb::cast<In<double>>(lowest[c], false));
                kept.push_back(nb::cast<In<double>>(highest[c], false));
                known.push_back({span_of(kept[2 * c]), span_of(kept[2 * c + 1])});
            }
            auto encoded = without_lock([&](StopSignal& stop) {
                return apply_codes(borrowed.views(), borrowed.n_rows(), known,
                                   static_cast<CpuLevel>(cpu_level), n_threads, stop);
            });
            nb::list out;
            for (EncodedColumn& column : encoded) {
                out.append(give_codes(std::move(column), borrowed.n_rows()));
            }
            return out;
        },
        nb::arg("columns"), nb::arg("n_categories").noconvert(), nb::arg("lowest"),
        nb::arg("highest"), nb::arg("cpu_level"), nb::arg("n_threads"),
        "Encode new values with codes learnt earlier.");
}

}  // namespace branchline::bindings
