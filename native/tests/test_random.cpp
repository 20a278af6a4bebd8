#include <cmath>
#include <numeric>

#include "branchline/random.hpp"
#include "check.hpp"
#include "test_data.hpp"

namespace {

using namespace test_data;
using Words = std::vector<std::uint64_t>;
using Counts = std::vector<std::uint32_t>;
using Integers = std::vector<std::int64_t>;

Words words(const RandomBlock& block) { return {block.begin(), block.end()}; }

// Random123's published vectors for philox4x64-10 (kat_vectors). NumPy gives the same words:
// numpy.random.Philox(counter=c − 1, key=k).random_raw(4); it counts up before it draws.
const check::Test known_answers{"Philox gives Random123's published answers", [] {
    constexpr std::uint64_t ones = ~std::uint64_t{0};
    check::equal(
        words(philox({0, 0, 0, 0}, {0, 0})),
        Words{0x16554d9eca36314c, 0xdb20fe9d672d0fdc, 0xd7e772cee186176b, 0x7e68b68aec7ba23b});
    check::equal(
        words(philox({ones, ones, ones, ones}, {ones, ones})),
        Words{0x87b092c3013fe90b, 0x438c3c67be8d0224, 0x9cc7d7c69cd777b6, 0xa09caebf594f0ba0});
    check::equal(
        words(
            philox({0x243f6a8885a308d3, 0x13198a2e03707344, 0xa4093822299f31d0, 0x082efa98ec4e6c89},
                   {0x452821e638d01377, 0xbe5466cf34e90c6c})),
        Words{0xa528f45403e61d95, 0x38c72dbd566e9788, 0xa5a1610e72fd18b5, 0x57bd43b5e52b7fe6});
}};

template <class CodeType>
Words keys_of(const std::vector<Code>& codes, const Words& target, int n_threads = 1) {
    const std::vector<CodeType> narrow(codes.begin(), codes.end());
    const std::vector<CodeColumn> columns{codes_of(narrow), codes_of(narrow)};
    Words keys(target.size());
    StopSignal stop;
    row_keys(columns, target, keys, n_threads, stop);
    return keys;
}

const check::Test key_widths{"a row key depends on codes and target, not on the codes' width", [] {
    const std::vector<Code> codes{1, 2, 1, 1, 0, 255};
    const Words target{7, 7, 7, 8, 7, 7};
    const Words keys = keys_of<std::uint8_t>(codes, target);
    check::equal(keys_of<std::uint16_t>(codes, target), keys);
    check::equal(keys_of<std::uint32_t>(codes, target), keys);
    check::equal(keys[0], keys[2]);
    for (const std::size_t other : {1u, 3u, 4u, 5u}) {
        check::that(keys[0] != keys[other], "other rows have other keys");
    }
}};

const check::Test key_threads{"row keys do not depend on the number of threads", [] {
    std::vector<Code> codes(20'000);
    Words target(20'000);
    std::mt19937_64 random(4);
    for (std::size_t i = 0; i < codes.size(); ++i) {
        codes[i] = static_cast<Code>(random() % 60'000);
        target[i] = random() % 3;
    }
    const Words alone = keys_of<std::uint16_t>(codes, target);
    for (const int n_threads : thread_counts) {
        check::equal(keys_of<std::uint16_t>(codes, target, n_threads), alone);
    }
}};

const check::Test no_columns{"rows without columns have keys of their target; no rows have none",
                             [] {
    Words keys(2);
    StopSignal stop;
    row_keys({}, Words{5, 6}, keys, 3, stop);
    check::that(keys[0] != keys[1], "targets differ");
    row_keys({}, {}, {}, 3, stop);
}};

Integers first_of(const Words& keys, const Integers& copies) {
    Integers first(keys.size());
    StopSignal stop;
    first_copies(keys, copies, first, stop);
    return first;
}

const check::Test numbering{"rows with equal keys share one numbering, earlier rows first", [] {
    check::equal(first_of({9, 4, 9, 9, 4}, {1, 2, 3, 1, 5}), Integers{0, 0, 1, 4, 2});
    check::equal(first_of({}, {}), Integers{});
}};

const check::Test long_numbering{"numbering many rows is the same as counting them one by one", [] {
    std::mt19937_64 random(8);
    Words keys(5000);
    Integers copies(5000), expected(5000), next(97, 0);
    for (std::size_t i = 0; i < keys.size(); ++i) {
        const std::size_t which = random() % 97;
        keys[i] = which * 0x9E3779B97F4A7C15u;
        copies[i] = static_cast<std::int64_t>(random() % 5 + 1);
        expected[i] = next[which];
        next[which] += copies[i];
    }
    check::equal(first_of(keys, copies), expected);
}};

Counts draw(const Words& keys, const Integers& copies, Purpose purpose, int n_threads = 1) {
    Counts counts(keys.size());
    StopSignal stop;
    bootstrap_counts(keys, copies, first_of(keys, copies), purpose, counts, n_threads, stop);
    return counts;
}

const check::Test copies_add_up{"a row of weight k gets the sum of the draws of k copies", [] {
    for (const std::int64_t weight : {1, 2, 3, 4, 5, 9, 100}) {
        const Counts apart = draw(Words(static_cast<std::size_t>(weight), 77),
                                  Integers(static_cast<std::size_t>(weight), 1), {5, 6});
        const std::uint32_t sum = std::accumulate(apart.begin(), apart.end(), 0u);
        check::equal(draw({77}, {weight}, {5, 6})[0], sum);
    }
}};

const check::Test like_poisson{"bootstrap counts are distributed like Poisson(1)", [] {
    Words keys(100'000);
    std::iota(keys.begin(), keys.end(), 0u);
    const Counts counts = draw(keys, Integers(keys.size(), 1), {1, 2}, 2);
    std::vector<double> share(20, 0);
    for (const std::uint32_t count : counts) share.at(count) += 1e-5;
    double expected = std::exp(-1.0);
    for (std::size_t k = 0; k < 8; expected /= static_cast<double>(++k)) {
        check::near(share[k], expected, 6e-3);  // about four standard errors
    }
}};

const check::Test draw_threads{"draws depend on seed and task, not on threads", [] {
    Words keys(10'000);
    std::iota(keys.begin(), keys.end(), 10u);
    const Integers copies(keys.size(), 3);
    const Counts alone = draw(keys, copies, {1, 2});
    for (const int n_threads : thread_counts) {
        check::equal(draw(keys, copies, {1, 2}, n_threads), alone);
    }
    check::that(draw(keys, copies, {2, 2}) != alone, "another seed draws otherwise");
    check::that(draw(keys, copies, {1, 1}) != alone, "another task draws otherwise");
}};

const check::Test draws_stop{"drawing for a row of very many copies can be stopped", [] {
    StopSignal stop([] { return true; });
    Counts counts(1);
    check::throws<Interrupted>([&] {
        bootstrap_counts(Words{1}, Integers{std::int64_t{1} << 40}, Integers{0}, {}, counts, 1,
                         stop);
    });
}};

}  // namespace
