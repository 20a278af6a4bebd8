#include "strings/name_windows.hpp"

#include <algorithm>
#include <limits>
#include <stdexcept>

namespace branchline::strings {

namespace {

constexpr std::uint64_t nothing = std::numeric_limits<std::uint64_t>::max();

// Replaces contents by their ranks among the distinct ones; `nothing` stays. Returns how many.
std::size_t rank_contents(std::vector<std::uint64_t>& contents) {
    std::vector<std::uint64_t> distinct(contents);
    std::sort(distinct.begin(), distinct.end());
    distinct.erase(std::unique(distinct.begin(), distinct.end()), distinct.end());
    if (!distinct.empty() && distinct.back() == nothing) distinct.pop_back();
    for (std::uint64_t& content : contents) {
        if (content == nothing) continue;
        const auto at = std::lower_bound(distinct.begin(), distinct.end(), content);
        content = static_cast<std::uint64_t>(at - distinct.begin());
    }
    return distinct.size();
}

// All symbols of all batches, and the end of the string that each belongs to.
struct Places {
    explicit Places(std::span<const StringBatch> batches) {
        for (const StringBatch& batch : batches) {
            for (std::size_t i = 0; i < batch.n_strings(); ++i) {
                const auto string = batch[i];
                contents.insert(contents.end(), string.begin(), string.end());
                ends.insert(ends.end(), string.size(), contents.size());
            }
        }
        if (contents.size() >= std::numeric_limits<std::uint32_t>::max()) {
            throw std::length_error("the strings have too many symbols");
        }
    }

    // From windows of `width` symbols, ranked, to windows of width + more, more ≤ width.
    void widen(std::size_t width, std::size_t more) {
        for (std::size_t place = 0; place < contents.size(); ++place) {
            const bool fits = place + width + more <= ends[place];
            contents[place] = fits ? contents[place] << 32 | contents[place + more] : nothing;
        }
    }

    std::vector<std::uint64_t> contents;
    std::vector<std::size_t> ends;
};

NamedBatch named_batch(const StringBatch& batch, const std::uint64_t* contents,
                       std::size_t length) {
    NamedBatch named;
    named.offsets.push_back(0);
    for (std::size_t i = 0; i < batch.n_strings(); ++i) {
        const std::size_t n = batch.length(i), n_windows = n < length ? 0 : n - length + 1;
        for (std::size_t at = 0; at < n_windows; ++at) {
            named.names.push_back(static_cast<std::uint32_t>(contents[at]));
        }
        named.offsets.push_back(static_cast<std::int64_t>(named.names.size()));
        contents += n;
    }
    return named;
}

}  // namespace

NamedWindows name_windows(std::span<const StringBatch> batches, std::size_t length,
                          StopSignal& stop) {
    Places places(batches);
    NamedWindows named{{}, rank_contents(places.contents)};
    for (std::size_t width = 1; width < length && named.n_names > 0;) {
        stop.check();
        const std::size_t more = std::min(width, length - width);
        places.widen(width, more);
        named.n_names = rank_contents(places.contents);
        width += more;
    }
    const std::uint64_t* contents = places.contents.data();
    for (const StringBatch& batch : batches) {
        named.batches.push_back(named_batch(batch, contents, length));
        contents += batch.symbols.size();
    }
    return named;
}

}  // namespace branchline::strings
