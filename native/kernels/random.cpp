#include "branchline/random.hpp"

#include <algorithm>
#include <stdexcept>
#include <vector>

#include "branchline/thread_pool.hpp"
#include "mix.hpp"
#include "radix_sort.hpp"

namespace branchline {

namespace {

constexpr std::size_t block_rows = 4096;

struct Product {
    std::uint64_t high, low;
};

// 64 × 64 → 128 bits, in parts of 32 so that no compiler extension is needed.
Product multiply(std::uint64_t a, std::uint64_t b) noexcept {
    const std::uint64_t a_low = a & 0xFFFFFFFF, a_high = a >> 32;
    const std::uint64_t b_low = b & 0xFFFFFFFF, b_high = b >> 32;
    const std::uint64_t low = a_low * b_low;
    const std::uint64_t middle = a_high * b_low + (low >> 32);
    const std::uint64_t other = a_low * b_high + (middle & 0xFFFFFFFF);
    return {a_high * b_high + (middle >> 32) + (other >> 32), a * b};
}

// P(Poisson(1) ≤ k) · 2^64, rounded down, for k = 0, 1, ….
constexpr std::array<std::uint64_t, 20> poisson_cdf{
    0x5E2D58D8B3BCDF1Au, 0xBC5AB1B16779BE35u, 0xEB715E1DC1582DC2u, 0xFB23979734A252F1u,
    0xFF1025F59174DC3Du, 0xFFD90F3BA4055E19u, 0xFFFA8B71FC72C913u, 0xFFFF540C0914B3C9u,
    0xFFFFED1F4AA8F120u, 0xFFFFFE216E641462u, 0xFFFFFFD4D85D3183u, 0xFFFFFFFC6DA262B4u,
    0xFFFFFFFFBA12D178u, 0xFFFFFFFFFB07C64Cu, 0xFFFFFFFFFFAB8EA5u, 0xFFFFFFFFFFFABE22u,
    0xFFFFFFFFFFFFB11Au, 0xFFFFFFFFFFFFFBA1u, 0xFFFFFFFFFFFFFFC5u, 0xFFFFFFFFFFFFFFFDu};

std::uint32_t poisson(std::uint64_t uniform) noexcept {
    std::uint32_t k = 0;
    while (k < poisson_cdf.size() && uniform >= poisson_cdf[k]) ++k;
    return k;
}

// Four copies share one block of the generator.
std::uint32_t draw_copies(std::uint64_t key, std::int64_t first, std::int64_t copies,
                          Purpose purpose, StopSignal& stop) {
    std::uint32_t sum = 0;
    RandomBlock block{};
    for (std::int64_t copy = first; copy < first + copies; ++copy) {
        const auto number = static_cast<std::uint64_t>(copy);
        if (copy == first || number % 4 == 0) {
            block = philox({key, number / 4, 0, 0}, {purpose.seed, purpose.task});
            if (number % (1u << 20) == 0) stop.check();
        }
        sum += poisson(block[number % 4]);
    }
    return sum;
}

template <class Visit>
void for_row_blocks(std::size_t n_rows, int n_threads, StopSignal& stop, Visit&& visit) {
    ThreadPool pool(n_threads, stop);
    pool.run((n_rows + block_rows - 1) / block_rows, [&](std::size_t block, std::size_t) {
        visit(block * block_rows, std::min(n_rows, (block + 1) * block_rows));
    });
}

}  // namespace

RandomBlock philox(std::array<std::uint64_t, 4> counter,
                   std::array<std::uint64_t, 2> key) noexcept {
    for (int round = 0; round < 10; ++round) {
        const Product first = multiply(0xD2E7470EE14C6C93u, counter[0]);
        const Product second = multiply(0xCA5A826395121157u, counter[2]);
        counter = {second.high ^ counter[1] ^ key[0], second.low, first.high ^ counter[3] ^ key[1],
                   first.low};
        key[0] += golden;
        key[1] += 0xBB67AE8584CAA73Bu;
    }
    return counter;
}

void row_keys(std::span<const CodeColumn> columns, std::span<const std::uint64_t> target,
              std::span<std::uint64_t> keys, int n_threads, StopSignal& stop) {
    for_row_blocks(keys.size(), n_threads, stop, [&](std::size_t begin, std::size_t end) {
        for (std::size_t row = begin; row < end; ++row) keys[row] = mix(target[row] + golden);
        for (const CodeColumn& column : columns) {
            visit_codes(column, [&](const auto* codes) {
                for (std::size_t row = begin; row < end; ++row) {
                    keys[row] = mix(keys[row] * golden + codes[row] + 1);
                }
            });
        }
    });
}

void first_copies(std::span<const std::uint64_t> keys, std::span<const std::int64_t> copies,
                  std::span<std::int64_t> first, StopSignal& stop) {
    if (keys.size() > max_rows) throw std::length_error("more rows than 32 bits can number");
    std::vector<KeyedRow<std::uint64_t>> rows(keys.size()), spare;
    for (std::size_t row = 0; row < keys.size(); ++row) {
        rows[row] = {keys[row], static_cast<RowIndex>(row)};
    }
    sort_by_key(rows, spare, stop);
    std::int64_t next = 0;
    for (std::size_t i = 0; i < rows.size(); ++i) {
        if (i == 0 || rows[i].key != rows[i - 1].key) next = 0;
        first[rows[i].row] = next;
        next += copies[rows[i].row];
    }
}

void bootstrap_counts(std::span<const std::uint64_t> keys, std::span<const std::int64_t> copies,
                      std::span<const std::int64_t> first, Purpose purpose,
                      std::span<std::uint32_t> counts, int n_threads, StopSignal& stop) {
    for_row_blocks(keys.size(), n_threads, stop, [&](std::size_t begin, std::size_t end) {
        for (std::size_t row = begin; row < end; ++row) {
            counts[row] = draw_copies(keys[row], first[row], copies[row], purpose, stop);
        }
    });
}

}  // namespace branchline
