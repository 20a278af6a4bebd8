#include <algorithm>
#include <cmath>
#include <functional>
#include <string>
#include <vector>

#include "branchline/string_kernels.hpp"
#include "check.hpp"
#include "strings/lane_kernels.hpp"
#include "strings/name_windows.hpp"

namespace {

using namespace branchline;
using namespace branchline::strings;

using Numbers = std::vector<double>;
using Texts = std::vector<std::string>;

constexpr int spectrum = 0, common_substrings = 1, subsequence = 2, weighted_degree = 3;

struct Batch {
    explicit Batch(const Texts& texts) {
        for (const std::string& text : texts) {
            for (const char letter : text) symbols.push_back(static_cast<std::uint32_t>(letter));
            offsets.push_back(static_cast<std::int64_t>(symbols.size()));
        }
    }
    StringBatch view() const { return {symbols, offsets}; }

    std::vector<std::uint32_t> symbols;
    std::vector<std::int64_t> offsets{0};
};

Numbers gram(const StringForm& form, const Texts& a, const Texts& b, int n_threads = 1) {
    const Batch first(a), second(b);
    Numbers out(a.size() * b.size());
    StopSignal stop;
    string_gram(form, first.view(), second.view(), out, n_threads, stop);
    return out;
}

Numbers gram(const StringForm& form, const Texts& a, int n_threads = 1) {
    const Batch batch(a);
    Numbers out(a.size() * a.size());
    StopSignal stop;
    string_gram(form, batch.view(), out, n_threads, stop);
    return out;
}

Numbers diagonal(const StringForm& form, const Texts& a, int n_threads = 1) {
    const Batch batch(a);
    Numbers out(a.size());
    StopSignal stop;
    string_diagonal(form, batch.view(), out, n_threads, stop);
    return out;
}

// Texts of up to `longest` letters of an alphabet of three, always the same ones.
Texts some_texts(std::size_t n, std::size_t longest) {
    Texts texts(n);
    std::uint64_t state = 7;
    const auto next = [&state] {
        state = state * 6364136223846793005u + 1442695040888963407u;
        return static_cast<std::size_t>(state >> 40);
    };
    for (std::string& text : texts) {
        const std::size_t length = next() % (longest + 1);
        for (std::size_t i = 0; i < length; ++i) text += static_cast<char>('a' + next() % 3);
    }
    return texts;
}

std::size_t common_run(const std::string& s, std::size_t i, const std::string& t, std::size_t j) {
    std::size_t run = 0;
    while (i + run < s.size() && j + run < t.size() && s[i + run] == t[j + run]) ++run;
    return run;
}

// Every kernel but the subsequences: Σ over pairs of places of a weight of (place, place, run).
double slow_runs(const StringForm& form, const std::string& s, const std::string& t) {
    const double d = static_cast<double>(form.order);
    double sum = 0;
    for (std::size_t i = 0; i < s.size(); ++i) {
        for (std::size_t j = 0; j < t.size(); ++j) {
            const std::size_t run = common_run(s, i, t, j), away = i < j ? j - i : i - j;
            for (std::size_t l = 1; l <= run; ++l) {
                const double length = static_cast<double>(l);
                if (form.kind == StringKernelKind::spectrum) sum += l == form.order;
                if (form.kind == StringKernelKind::common_substrings && l >= form.order) {
                    sum += std::pow(form.decay, length);
                }
                if (form.kind == StringKernelKind::weighted_degree && l <= form.order &&
                    away <= form.shift) {
                    const double near = away == 0 ? 1 : 0.5 / static_cast<double>(away + 1);
                    sum += near * 2 * (d - length + 1) / (d * (d + 1));
                }
            }
        }
    }
    return sum;
}

// Lodhi et al.'s definition, by trying every next pair of places.
double slow_subsequences(const StringForm& form, const std::string& s, const std::string& t) {
    const std::function<double(std::size_t, std::size_t, std::size_t)> from =
        [&](std::size_t left, std::size_t after_i, std::size_t after_j) -> double {
        if (left == 0) return 1;
        double sum = 0;
        for (std::size_t i = after_i; i < s.size(); ++i) {
            for (std::size_t j = after_j; j < t.size(); ++j) {
                if (s[i] != t[j]) continue;
                const bool is_first = left == form.order;
                const std::size_t span = is_first ? 2 : i - after_i + j - after_j + 2;
                sum +=
                    std::pow(form.decay, static_cast<double>(span)) * from(left - 1, i + 1, j + 1);
            }
        }
        return sum;
    };
    return from(form.order, 0, 0);
}

double slow_kernel(const StringForm& form, const std::string& s, const std::string& t) {
    return form.kind == StringKernelKind::subsequence ? slow_subsequences(form, s, t)
                                                      : slow_runs(form, s, t);
}

std::vector<StringForm> some_forms() {
    return {{spectrum, 1, 1, 0},          {spectrum, 3, 1, 0},
            {common_substrings, 1, 1, 0}, {common_substrings, 1, 0.5, 0},
            {common_substrings, 3, 2, 0}, {subsequence, 1, 0.5, 0},
            {subsequence, 2, 0.5, 0},     {subsequence, 3, 1, 0},
            {subsequence, 4, 0.01, 0},    {weighted_degree, 1, 1, 0},
            {weighted_degree, 4, 1, 0},   {weighted_degree, 3, 1, 2},
            {weighted_degree, 2, 1, 99}};
}

const check::Test agrees{"string kernels are what their formulas say", [] {
    const Texts a = some_texts(37, 9), b = some_texts(21, 7);
    for (const StringForm& form : some_forms()) {
        const Numbers seen = gram(form, a, b);
        for (std::size_t i = 0; i < a.size(); ++i) {
            for (std::size_t j = 0; j < b.size(); ++j) {
                const double expected = slow_kernel(form, a[i], b[j]);
                check::near(seen[i * b.size() + j], expected, 1e-13 * (expected + 1e-9));
            }
        }
    }
}};

const check::Test symmetric{"a symmetric matrix of strings is the rectangular one", [] {
    const Texts a = some_texts(83, 20);
    for (const StringForm& form : some_forms()) {
        const Numbers half = gram(form, a), whole = gram(form, a, a), own = diagonal(form, a);
        for (std::size_t i = 0; i < a.size(); ++i) {
            for (std::size_t j = 0; j < a.size(); ++j) {
                const double value = whole[i * a.size() + j];
                check::near(half[i * a.size() + j], value, 1e-13 * value);
                check::equal(half[i * a.size() + j], half[j * a.size() + i]);
            }
            check::equal(own[i], whole[i * a.size() + i]);
        }
    }
}};

const check::Test threads{"string kernels are the same for any number of threads", [] {
    const Texts a = some_texts(150, 30);
    for (const StringForm& form : some_forms()) {
        check::equal(gram(form, a, 3), gram(form, a, 1));
        check::equal(gram(form, a, a, 3), gram(form, a, a, 1));
        check::equal(diagonal(form, a, 3), diagonal(form, a, 1));
    }
}};

const check::Test company{"a string kernel does not depend on the other strings of the call", [] {
    const Texts a = some_texts(40, 30);
    for (const StringForm& form : some_forms()) {
        const Numbers whole = gram(form, a, a);
        for (std::size_t i = 0; i < a.size(); i += 7) {
            check::equal(gram(form, {a[i]}, {a[3]})[0], whole[i * a.size() + 3]);
        }
    }
}};

const check::Test levels{"string kernels are the same on every processor level", [] {
    Numbers first(40 * n_lanes), second(30 * n_lanes);
    for (std::size_t i = 0; i < first.size(); ++i) first[i] = static_cast<double>(i * i % 7 % 3);
    for (std::size_t i = 0; i < second.size(); ++i) second[i] = static_cast<double>(i * 5 % 11 % 3);
    const StringForm form(subsequence, 3, 0.7, 2);
    StopSignal stop;
    for (const bool are_short : {false, true}) {
        const LanePairs pairs{first.data(), 40, second.data(), 30, are_short};
        const auto values = [&](CpuLevel level, LaneKernel LaneKernels::* kernel) {
            Numbers scratch(scratch_size(form, 40, 30)), out(n_lanes);
            (lane_kernels_for(level).*kernel)(pairs, form, scratch.data(), out.data(), stop);
            return out;
        };
        for (const auto kernel : {&LaneKernels::common_substrings, &LaneKernels::subsequence,
                                  &LaneKernels::weighted_degree}) {
            for (const CpuLevel level : available_cpu_levels()) {
                check::equal(values(level, kernel), values(CpuLevel::baseline, kernel));
            }
        }
    }
}};

const check::Test lodhi{"cat and car, as Lodhi et al. print them", [] {
    const double decay = 0.5;
    const StringForm form(subsequence, 2, decay, 0);
    const Numbers seen = gram(form, {"cat", "car"});
    check::near(seen[1], std::pow(decay, 4), 1e-15);
    check::near(seen[0], 2 * std::pow(decay, 4) + std::pow(decay, 6), 1e-15);
    check::near(seen[1] / std::sqrt(seen[0] * seen[3]), 1 / (2 + decay * decay), 1e-15);
}};

const check::Test empty{"empty and short strings have kernel 0", [] {
    for (const StringForm& form : some_forms()) {
        check::equal(gram(form, {"", "abcabc"})[1], 0.0);
        check::equal(diagonal(form, {""})[0], 0.0);
        check::equal(gram(form, Texts{}, {"a"}), Numbers{});
        check::equal(gram(form, {"a"}, Texts{}), Numbers{});
        check::equal(gram(form, Texts{}), Numbers{});
    }
    check::equal(gram({spectrum, 4, 1, 0}, {"abc", "abcd"}), Numbers{0, 0, 0, 1});
    check::equal(gram({subsequence, 4, 1, 0}, {"abc", "abcd"}), Numbers{0, 0, 0, 1});
}};

// Strings too long for weights by place are summed another way, with the same result.
const check::Test long_ones{"long strings", [] {
    const StringForm form(subsequence, 3, 0.05, 0);
    const std::size_t longest = short_subsequences(form);
    check::that(longest > 90 && longest < 130, "about 345 / log 20");
    std::string text;
    for (const std::string& part : some_texts(40, 30)) text += part;
    const Texts texts{text.substr(0, longest), text.substr(0, longest + 1), text};
    const Numbers seen = gram(form, texts, texts);
    for (std::size_t i = 0; i < 9; ++i) {
        check::that(seen[i] > 0 && std::isfinite(seen[i]), "in range");
        check::near(seen[i], seen[i % 3 * 3 + i / 3], 1e-13 * seen[i]);
    }
    // One letter repeated n times: Σ over all pairs of substrings of one length.
    const std::string same(3000, 'a');
    check::equal(diagonal({common_substrings, 1, 1, 0}, {same})[0], 3000.0 * 3001 * 6001 / 6);
    check::equal(diagonal({spectrum, 5, 1, 0}, {same})[0], 2996.0 * 2996.0);
    check::equal(diagonal({subsequence, 2, 1, 0}, {same})[0], std::pow(3000.0 * 2999 / 2, 2));
}};

const check::Test too_large{"values too large for a double are refused", [] {
    const std::string same(700, 'a');
    check::throws<std::overflow_error>([&] { gram({common_substrings, 1, 4, 0}, {same}); });
    check::throws<std::overflow_error>([&] { diagonal({subsequence, 300, 1, 0}, {same}); });
    check::that(std::isfinite(diagonal({subsequence, 60, 1, 0}, {same})[0]), "still in range");
}};

const check::Test bad_forms{"forms and batches are checked", [] {
    check::throws<std::invalid_argument>([] { StringForm(4, 1, 1, 0); });
    check::throws<std::invalid_argument>([] { StringForm(-1, 1, 1, 0); });
    check::throws<std::invalid_argument>([] { StringForm(spectrum, 0, 1, 0); });
    check::throws<std::invalid_argument>([] { StringForm(subsequence, 2, 0, 0); });
    check::throws<std::invalid_argument>([] { StringForm(subsequence, 2, 1.5, 0); });
    check::throws<std::invalid_argument>([] { StringForm(subsequence, 2, NAN, 0); });
    check::throws<std::invalid_argument>([] { StringForm(subsequence, 100, 0.01, 0); });
    const std::vector<std::uint32_t> symbols{1, 2, 3};
    for (const std::vector<std::int64_t>& offsets : std::vector<std::vector<std::int64_t>>{
             {}, {0}, {1, 3}, {0, 2}, {0, 4}, {0, 2, 1, 3}, {0, -1, 3}}) {
        check::throws<std::invalid_argument>([&] { StringBatch(symbols, offsets); });
    }
}};

const check::Test stops{"string kernels stop when asked", [] {
    const Batch batch(Texts(2, std::string(3000, 'a')));
    Numbers out(4);
    for (const StringForm& form : some_forms()) {
        StopSignal stop;
        stop.request();
        check::throws<Interrupted>([&] { string_gram(form, batch.view(), out, 2, stop); });
    }
}};

const check::Test names{"windows get one name where they are equal, and only there", [] {
    const Batch a({"abcabc", "ab", ""}), b({"cabx"});
    StopSignal stop;
    const std::vector<StringBatch> both{a.view(), b.view()};
    const NamedWindows named = name_windows(both, 3, stop);
    check::equal(named.n_names, std::size_t{4});  // abc, bca, cab, abx
    const auto& first = named.batches[0].names;
    check::equal(named.batches[0].offsets, std::vector<std::int64_t>{0, 4, 4, 4});
    check::equal(first[0], first[3]);
    check::equal(first[2], named.batches[1].names[0]);
    check::that(first[0] != first[1] && first[1] != first[2], "others differ");
    check::equal(name_windows(both, 9, stop).n_names, std::size_t{0});
}};

}  // namespace
