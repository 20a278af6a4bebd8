#include "strings/spectrum.hpp"

#include <algorithm>
#include <span>
#include <vector>

#include "strings/mirror.hpp"
#include "strings/name_windows.hpp"

namespace branchline::strings {

namespace {

constexpr std::size_t rows_of_task = 16;

struct Count {
    std::uint32_t what;  // a window's name, or a string
    std::uint32_t times;
};

// Counts kept one list after the other.
struct CountLists {
    std::span<const Count> operator[](std::size_t i) const {
        return std::span(counts).subspan(starts[i], starts[i + 1] - starts[i]);
    }

    std::vector<Count> counts;
    std::vector<std::size_t> starts{0};
};

// For every string, its windows and how often it has each.
CountLists windows_of_strings(StringBatch names) {
    CountLists lists;
    std::vector<std::uint32_t> sorted;
    for (std::size_t i = 0; i < names.n_strings(); ++i) {
        const auto string = names[i];
        sorted.assign(string.begin(), string.end());
        std::sort(sorted.begin(), sorted.end());
        for (auto from = sorted.begin(); from != sorted.end();) {
            const auto to = std::upper_bound(from, sorted.end(), *from);
            lists.counts.push_back({*from, static_cast<std::uint32_t>(to - from)});
            from = to;
        }
        lists.starts.push_back(lists.counts.size());
    }
    return lists;
}

// For every window, the strings that have it, in their order.
CountLists strings_of_windows(const CountLists& of_strings, std::size_t n_names) {
    CountLists lists;
    lists.starts.assign(n_names + 1, 0);
    lists.counts.resize(of_strings.counts.size());
    for (const Count& count : of_strings.counts) ++lists.starts[count.what + 1];
    for (std::size_t name = 0; name < n_names; ++name) lists.starts[name + 1] += lists.starts[name];
    std::vector<std::size_t> next(lists.starts.begin(), lists.starts.end() - 1);
    for (std::size_t i = 0; i + 1 < of_strings.starts.size(); ++i) {
        for (const Count& count : of_strings[i]) {
            lists.counts[next[count.what]++] = {static_cast<std::uint32_t>(i), count.times};
        }
    }
    return lists;
}

// Adds to the row the products of counts with the strings up to `last`.
void add_row(std::span<const Count> windows, const CountLists& strings, std::size_t last,
             double* row) {
    for (const Count& window : windows) {
        const double times = window.times;
        for (const Count& string : strings[window.what]) {
            if (string.what > last) break;
            row[string.what] += times * string.times;
        }
    }
}

}  // namespace

void spectrum_gram(const StringForm& form, const StringBatch& a, const StringBatch* b,
                   std::span<double> out, ThreadPool& pool, StopSignal& stop) {
    std::vector<StringBatch> batches{a};
    if (b != nullptr) batches.push_back(*b);
    const NamedWindows named = name_windows(batches, form.order, stop);
    const CountLists of_rows = windows_of_strings(named.batches[0].view());
    const CountLists of_names = strings_of_windows(
        b == nullptr ? of_rows : windows_of_strings(named.batches[1].view()), named.n_names);
    const std::size_t n_rows = a.n_strings(), n_columns = b == nullptr ? n_rows : b->n_strings();
    pool.run((n_rows + rows_of_task - 1) / rows_of_task, [&](std::size_t task, std::size_t) {
        const std::size_t first = task * rows_of_task;
        for (std::size_t row = first; row < std::min(first + rows_of_task, n_rows); ++row) {
            double* to = out.data() + row * n_columns;
            std::fill(to, to + n_columns, 0.0);
            add_row(of_rows[row], of_names, b == nullptr ? row : n_columns, to);
            stop.check();
        }
    });
    if (b == nullptr) mirror_lower_half(out.data(), n_rows, pool);
}

void spectrum_diagonal(const StringForm& form, const StringBatch& a, std::span<double> out,
                       StopSignal& stop) {
    const NamedWindows named = name_windows({&a, 1}, form.order, stop);
    const CountLists counts = windows_of_strings(named.batches[0].view());
    for (std::size_t i = 0; i < a.n_strings(); ++i) {
        out[i] = 0;
        for (const Count& count : counts[i]) out[i] += double(count.times) * count.times;
    }
}

}  // namespace branchline::strings
