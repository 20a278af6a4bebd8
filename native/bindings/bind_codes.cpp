#include <nanobind/stl/optional.h>

#include "branchline/codes.hpp"
#include "columns.hpp"
#include "interrupt.hpp"
#include "shared_arrays.hpp"

namespace branchline::bindings {

namespace {

template <class CodeType>
nb::object owned(EncodedColumn&& column, std::size_t n_rows) {
    auto* data = column.codes.release();
    nb::capsule owner(data, [](void* p) noexcept { delete[] static_cast<std::byte*>(p); });
    return nb::cast(Out<CodeType>(reinterpret_cast<CodeType*>(data), {n_rows}, std::move(owner)));
}

// Codes leave as uint8, uint16 or uint32.
nb::object give_codes(EncodedColumn&& column, std::size_t n_rows) {
    switch (column.width) {
        case 1: return owned<std::uint8_t>(std::move(column), n_rows);
        case 2: return owned<std::uint16_t>(std::move(column), n_rows);
        default: return owned<std::uint32_t>(std::move(column), n_rows);
    }
}

// Above this number of columns, short arrays share their memory.
constexpr std::size_t many_columns = 256;

class ColumnGiver {
  public:
    ColumnGiver(std::size_t n_columns, std::size_t n_rows)
        : shares_(n_columns > many_columns), n_rows_(n_rows) {}

    // The codes, and the lowest and highest value of each code.
    nb::tuple give(EncodedColumn&& column) {
        auto lowest = values(std::move(column.lowest)), highest = values(std::move(column.highest));
        return nb::make_tuple(codes(std::move(column)), std::move(lowest), std::move(highest));
    }

    nb::object codes(EncodedColumn&& column) {
        const auto* bytes = reinterpret_cast<const std::uint8_t*>(column.codes.get());
        if (shares_ && column.width == 1 && codes_.takes(n_rows_)) return codes_.give(bytes, n_rows_);
        return give_codes(std::move(column), n_rows_);
    }

  private:
    nb::object values(std::vector<double>&& all) {
        if (shares_ && values_.takes(all.size())) return values_.give(all.data(), all.size());
        return nb::cast(bindings::give(std::move(all)));
    }

    bool shares_;
    std::size_t n_rows_;
    SharedArrays<std::uint8_t> codes_;
    SharedArrays<double> values_;
};

// Each column is let go once it is given: both forms of all of them would take twice the room.
nb::list give_columns(std::vector<EncodedColumn>&& encoded, std::size_t n_rows) {
    nb::list out;
    ColumnGiver giver(encoded.size(), n_rows);
    for (EncodedColumn& column : encoded) {
        out.append(giver.give(std::move(column)));
        column = {};
    }
    return out;
}

}  // namespace

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
            return give_columns(std::move(encoded), borrowed.n_rows());
        },
        nb::arg("columns"), nb::arg("n_categories").noconvert(),
        nb::arg("units").noconvert().none(), nb::arg("max_bins"), nb::arg("n_threads"),
        "Learn codes; per column: codes, lowest and highest value of each code.");

    module.def(
        "fit_sparse_codes",
        [](const In<double>& values, const In<std::int32_t>& rows, const In<std::int64_t>& starts,
           std::size_t n_rows, int n_threads) {
            const SparseCells cells{span_of(values), span_of(rows), span_of(starts)};
            auto encoded = without_lock(
                [&](StopSignal& stop) { return fit_sparse_codes(cells, n_rows, n_threads, stop); });
            return give_columns(std::move(encoded), n_rows);
        },
        nb::arg("values").noconvert(), nb::arg("rows").noconvert(), nb::arg("starts").noconvert(),
        nb::arg("n_rows"), nb::arg("n_threads"),
        "Learn exact codes of sparse columns; per column what fit_codes gives.");

    module.def(
        "apply_codes",
        [](const nb::list& columns, const In<std::int32_t>& n_categories, const nb::list& lowest,
           const nb::list& highest, int cpu_level, int n_threads) {
            const Columns borrowed(columns, n_categories);
            const BorrowedCodes borrowed_codes(lowest, highest);
            auto encoded = without_lock([&](StopSignal& stop) {
                return apply_codes(borrowed.views(), borrowed.n_rows(), borrowed_codes.known(),
                                   static_cast<CpuLevel>(cpu_level), n_threads, stop);
            });
            nb::list out;
            ColumnGiver giver(encoded.size(), borrowed.n_rows());
            for (EncodedColumn& column : encoded) out.append(giver.codes(std::move(column)));
            return out;
        },
        nb::arg("columns"), nb::arg("n_categories").noconvert(), nb::arg("lowest"),
        nb::arg("highest"), nb::arg("cpu_level"), nb::arg("n_threads"),
        "Encode new values with codes learned earlier.");
}

}  // namespace branchline::bindings
