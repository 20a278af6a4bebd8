#include "boosting/bundles.hpp"

#include <algorithm>
#include <array>

namespace branchline::boosting {

namespace {

constexpr std::size_t few_codes = 31;     // columns of more are counted alone
constexpr std::size_t most_open = 16;     // bundles that a column may join: the latest
constexpr std::size_t look_after = 4096;  // rows after which a pass may end

const std::uint8_t* bytes_of(const CodeColumn& codes) {
    return reinterpret_cast<const std::uint8_t*>(codes.data);
}

// How often a column of few codes is away from its usual one.
struct Usual {
    Code code = 0;
    std::size_t n_others = 0;
    bool may_join = false;
};

Usual find_usual(const GrowColumn& column, std::size_t n_rows) {
    if (column.n_codes > few_codes || column.codes.width != 1) return {};
    const std::uint8_t* codes = bytes_of(column.codes);
    Usual usual;
    std::size_t most = 0;
    for (std::size_t code = 0; code <= column.n_codes; ++code) {
        const auto n = static_cast<std::size_t>(
            std::count(codes, codes + n_rows, static_cast<std::uint8_t>(code)));
        if (n <= most) continue;
        most = n;
        usual.code = static_cast<Code>(code);
    }
    usual.n_others = n_rows - most;
    usual.may_join = 2 * usual.n_others <= n_rows;
    return usual;
}

// Some columns that can be counted as one.
class Joint {
  public:
    explicit Joint(std::size_t n_rows) : bytes_(n_rows) {}

    bool has_room(const GrowColumn& column, const Usual& usual) const {
        return n_bins_ + column.n_codes <= narrow_codes &&
               n_taken_ + usual.n_others <= bytes_.size();
    }

    // Whether in no row both this and the column are away from what is usual.
    bool excludes(const GrowColumn& column, const Usual& usual) const {
        const std::uint8_t* codes = bytes_of(column.codes);
        for (std::size_t row = 0; row < bytes_.size(); row += look_after) {
            const std::size_t end = std::min(bytes_.size(), row + look_after);
            std::uint8_t meets = 0;
            for (std::size_t i = row; i < end; ++i) {
                meets |= static_cast<std::uint8_t>((bytes_[i] != 0) & (codes[i] != usual.code));
            }
            if (meets != 0) return false;
        }
        return true;
    }

    void add(std::uint32_t number, const GrowColumn& column, const Usual& usual) {
        const BundledColumn place{0, usual.code, n_bins_};
        std::array<std::uint8_t, few_codes + 1> bin_of{};
        for (Code code = 0; code <= column.n_codes; ++code) {
            bin_of[code] = static_cast<std::uint8_t>(code == usual.code ? 0 : place.bin_of(code));
        }
        const std::uint8_t* codes = bytes_of(column.codes);
        for (std::size_t i = 0; i < bytes_.size(); ++i) bytes_[i] |= bin_of[codes[i]];
        columns_.push_back(number);
        places_.push_back(place);
        n_bins_ += column.n_codes;
        n_taken_ += usual.n_others;
    }

    std::span<const std::uint32_t> columns() const { return columns_; }
    const BundledColumn& place(std::size_t member) const { return places_[member]; }

    Bundle finished() && {
        Bundle bundle{std::move(columns_), {}, n_bins_, std::move(bytes_)};
        bundle.codes = {reinterpret_cast<const std::byte*>(bundle.bytes.data()), 1};
        return bundle;
    }

  private:
    std::vector<std::uint8_t> bytes_;
    std::vector<std::uint32_t> columns_;
    std::vector<BundledColumn> places_;
    std::size_t n_bins_ = 1, n_taken_ = 0;
};

std::vector<Joint> join(std::span<const GrowColumn> columns, std::span<const Usual> usual,
                        std::size_t n_rows) {
    std::vector<Joint> open, done;
    const auto close_first = [&] {
        if (open.front().columns().size() > 1) done.push_back(std::move(open.front()));
        open.erase(open.begin());
    };
    for (std::uint32_t c = 0; c < columns.size(); ++c) {
        if (!usual[c].may_join) continue;
        // The latest first: columns of one origin mostly stand together.
        auto joint = std::find_if(open.rbegin(), open.rend(), [&](const Joint& some) {
            return some.has_room(columns[c], usual[c]) && some.excludes(columns[c], usual[c]);
        });
        if (joint == open.rend()) {
            if (open.size() == most_open) close_first();
            open.emplace_back(n_rows);
            joint = open.rbegin();
        }
        joint->add(c, columns[c], usual[c]);
    }
    while (!open.empty()) close_first();
    return done;
}

}  // namespace

Bundles make_bundles(std::span<const GrowColumn> columns, std::size_t n_rows, ThreadPool& pool,
                     bool joins) {
    std::vector<Usual> usual(columns.size());
    if (joins) {
        pool.run(columns.size(),
                 [&](std::size_t c, std::size_t) { usual[c] = find_usual(columns[c], n_rows); });
    }
    Bundles out;
    out.of_column.resize(columns.size());
    std::vector<std::uint8_t> is_joined(columns.size(), 0);
    for (Joint& joint : join(columns, usual, n_rows)) {
        for (std::size_t m = 0; m < joint.columns().size(); ++m) {
            is_joined[joint.columns()[m]] = 1;
            out.of_column[joint.columns()[m]] = joint.place(m);
        }
        out.bundles.push_back(std::move(joint).finished());
    }
    for (std::uint32_t c = 0; c < columns.size(); ++c) {
        if (is_joined[c] == 0) {
            out.bundles.push_back({{c}, columns[c].codes, columns[c].n_codes + 1, {}});
        }
    }
    std::sort(out.bundles.begin(), out.bundles.end(), [](const Bundle& a, const Bundle& b) {
        return a.is_narrow() != b.is_narrow() ? a.is_narrow() : a.columns[0] < b.columns[0];
    });
    for (std::size_t b = 0; b < out.bundles.size(); ++b) {
        for (const std::uint32_t column : out.bundles[b].columns) out.of_column[column].bundle = b;
    }
    return out;
}

}  // namespace branchline::boosting
