#include "encode_categories.hpp"

#include <stdexcept>
#include <type_traits>

namespace branchline {

std::unique_ptr<std::byte[]> new_codes(std::size_t n_rows, int width) {
    return std::make_unique<std::byte[]>(n_rows * static_cast<std::size_t>(width));
}

EncodedColumn encode_categories(const ColumnView& view, std::size_t n_rows) {
    EncodedColumn column;
    column.n_codes = static_cast<std::size_t>(view.n_categories);
    column.width = code_width(column.n_codes);
    column.codes = new_codes(n_rows, column.width);
    visit_new_codes(column, [&](auto* codes) {
        using CodeType = std::remove_pointer_t<decltype(codes)>;
        for (std::size_t row = 0; row < n_rows; ++row) {
            const auto category = value_at<std::int32_t>(view, row);
            if (category >= view.n_categories) throw std::out_of_range("category out of range");
            codes[row] = static_cast<CodeType>(category < 0 ? 0 : category + 1);
        }
    });
    return column;
}

}  // namespace branchline
