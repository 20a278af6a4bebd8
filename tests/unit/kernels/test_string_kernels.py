"""Kernels on texts against their definitions: every substring and subsequence written out."""

from collections import Counter
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from branchline import _core
from branchline.errors import DataError, ParameterError
from branchline.kernels import CommonSubstrings, Spectrum, Subsequence, WeightedDegree
from branchline.kernels._points import StringPart

TEXTS = st.lists(st.text("abc", max_size=8), min_size=1, max_size=5)
LENGTHS = st.integers(1, 4)
KERNELS = [
    Spectrum(k=1),
    Spectrum(k=3),
    CommonSubstrings(),
    CommonSubstrings(min_length=2, decay=0.5),
    CommonSubstrings(min_length=3, decay=3.0),
    Subsequence(length=1),
    Subsequence(length=3, decay=0.7),
    Subsequence(length=4, decay=1.0),
    WeightedDegree(degree=1),
    WeightedDegree(degree=5),
    WeightedDegree(degree=3, shift=2),
]
each_kernel = pytest.mark.parametrize("kernel", KERNELS, ids=repr)


def part(texts):
    return StringPart([text.encode("utf-8", "surrogatepass") for text in texts])


def gram(kernel, texts, others=None, n_threads=1):
    a = part(texts)
    return kernel._gram(a, a if others is None else part(others), n_threads)


def matrix_of(features, texts):
    """Return the scalar products of sparse feature vectors."""
    counted = [features(text) for text in texts]
    return np.array([[sum(a[f] * b[f] for f in a.keys() & b.keys()) for b in counted]
                     for a in counted])  # fmt: skip


def random_texts(n, longest, letters="acgt", seed=0):
    random = np.random.default_rng(seed)
    lengths = random.integers(0, longest + 1, n)
    return ["".join(random.choice(list(letters), length)) for length in lengths]


# -- definitions ----------------------------------------------------------------------------------


@given(TEXTS, LENGTHS)
def test_spectrum_counts_substrings_of_one_length(texts, k):
    expected = matrix_of(lambda t: Counter(t[i : i + k] for i in range(len(t) - k + 1)), texts)
    assert np.array_equal(gram(Spectrum(k=k), texts), expected)


@given(TEXTS, LENGTHS, st.floats(0.1, 3))
def test_common_substrings_are_all_pairs_of_equal_ones(texts, shortest, decay):
    def features(text):
        cuts = combinations(range(len(text) + 1), 2)
        found = Counter(text[i:j] for i, j in cuts if j - i >= shortest)
        return {sub: n * decay ** (len(sub) / 2) for sub, n in found.items()}

    seen = gram(CommonSubstrings(min_length=shortest, decay=decay), texts)
    assert np.allclose(seen, matrix_of(features, texts), rtol=1e-12, atol=0)


@given(TEXTS, LENGTHS, st.floats(0.1, 1))
def test_subsequences_weigh_by_their_extent(texts, length, decay):
    def features(text):
        found = Counter()
        for places in combinations(range(len(text)), length):
            extent = places[-1] - places[0] + 1
            found["".join(text[i] for i in places)] += decay**extent
        return found

    seen = gram(Subsequence(length=length, decay=decay), texts)
    assert np.allclose(seen, matrix_of(features, texts), rtol=1e-12, atol=0)


@given(TEXTS, LENGTHS, st.integers(0, 9))
def test_weighted_degree_looks_at_the_same_places(texts, degree, shift):
    def at(s, i, t, j):
        """Return what equal substrings from places i and j on add."""
        near = 1 if i == j else 1 / (2 * (abs(i - j) + 1))
        lengths = range(1, min(degree, len(s) - i, len(t) - j) + 1)
        equal = [degree - n + 1 for n in lengths if s[i : i + n] == t[j : j + n]]
        return near * 2 * sum(equal) / (degree * (degree + 1))

    def value(s, t):
        places = [(i, j) for i in range(len(s)) for j in range(len(t)) if abs(i - j) <= shift]
        return sum(at(s, i, t, j) for i, j in places)

    seen = gram(WeightedDegree(degree=degree, shift=shift), texts)
    expected = [[value(s, t) for t in texts] for s in texts]
    assert np.allclose(seen, expected, rtol=1e-12, atol=0)


@pytest.mark.parametrize("decay", [0.1, 0.5, 0.9, 1.0])
def test_the_words_of_lodhi_et_al(decay):
    kernel = Subsequence(length=2, decay=decay)
    values = kernel.gram(["cat", "car", "bat", "bar"])
    assert values[0] == pytest.approx([2 * decay**4 + decay**6, decay**4, decay**4, 0])
    normalized = kernel.normalized().gram(["car", "cat"])
    assert normalized[0, 1] == pytest.approx(1 / (2 + decay**2))


# -- what all of them share -----------------------------------------------------------------------


@each_kernel
def test_kernels_are_positive_semidefinite(kernel):
    texts = [*random_texts(60, 25), "", "acgtacgtacgtacgt"]
    for values in (gram(kernel, texts), kernel.normalized().gram(texts)):
        assert np.linalg.eigvalsh(values)[0] >= -1e-10 * np.abs(values).max()
    assert kernel.is_psd(texts).is_psd


@each_kernel
def test_a_shift_of_any_size_stays_positive_semidefinite(kernel):
    texts = random_texts(50, 30, "ab", seed=1)
    for shift in (1, 4, 29):
        values = gram(WeightedDegree(degree=2, shift=shift), texts)
        assert np.linalg.eigvalsh(values)[0] >= -1e-10 * values.max()
    assert np.array_equal(gram(kernel, texts), gram(kernel, texts).T)


@each_kernel
def test_half_a_matrix_is_the_whole_one(kernel):
    texts, others = random_texts(70, 40), random_texts(35, 20, seed=1)
    whole = gram(kernel, texts, list(texts))
    assert np.allclose(gram(kernel, texts), whole, rtol=1e-13, atol=0)
    assert np.array_equal(kernel._diag(part(texts)), np.diag(whole))
    assert np.allclose(
        gram(kernel, texts, others), gram(kernel, others, texts).T, rtol=1e-13, atol=0
    )


@each_kernel
def test_threads_and_company_do_not_change_a_bit(kernel):
    texts = random_texts(150, 30)
    once = gram(kernel, texts, texts[:50])
    assert np.array_equal(gram(kernel, texts, texts[:50], n_threads=3), once)
    assert np.array_equal(gram(kernel, texts, n_threads=3), gram(kernel, texts))
    assert np.array_equal(gram(kernel, texts[7:8], texts[3:9]), once[7:8, 3:9])


@each_kernel
@settings(max_examples=20)
@given(st.lists(st.text(max_size=6), min_size=1, max_size=4))
def test_any_character_is_one_symbol(kernel, texts):
    letters = {c: chr(ord("a") + i) for i, c in enumerate(sorted(set("".join(texts))))}
    translated = ["".join(letters[c] for c in text) for text in texts]
    assert np.array_equal(gram(kernel, texts), gram(kernel, translated))


@each_kernel
def test_missing_and_empty_texts_are_0(kernel):
    values = kernel.gram(["acgtacgt", "", None, "acgtacgt"])
    assert values[0, 0] > 0
    assert values[0, 3] == values[0, 0]
    assert not values[1:3].any()
    normalized = kernel.normalized().gram(["acgtacgt", "", None])
    assert normalized[0] == pytest.approx([1, 0, 0])
    assert not normalized[1:].any()


@each_kernel
def test_texts_unseen_in_training_are_texts(kernel):
    fitted = kernel.gram(["acgtacgt", "ttagacgt"], ["ggacgtaa", "acgtacgt"])
    assert np.array_equal(fitted, gram(kernel, ["acgtacgt", "ttagacgt"], ["ggacgtaa", "acgtacgt"]))


# -- long texts, and texts too long ---------------------------------------------------------------


def test_one_letter_many_times():
    same = ["a" * 3000]
    assert gram(Spectrum(k=5), same)[0, 0] == 2996.0**2
    assert gram(CommonSubstrings(), same)[0, 0] == 3000 * 3001 * 6001 / 6
    assert gram(Subsequence(length=2, decay=1.0), same)[0, 0] == (3000 * 2999 / 2) ** 2


def test_long_and_short_texts_are_summed_alike():
    # From about 345 / log(1 / decay) symbols on, decay is applied in every cell, not by place.
    text = "".join(random_texts(60, 40))
    kernel = Subsequence(length=4, decay=0.1)
    texts = [text[:n] for n in (100, 120, 140, 160, 1000)]
    values = gram(kernel, texts, list(texts))
    assert np.allclose(values, values.T, rtol=1e-12, atol=0)
    normalized = values / np.sqrt(np.outer(np.diag(values), np.diag(values)))
    assert np.all(normalized <= 1 + 1e-12)


@pytest.mark.parametrize(
    "kernel", [CommonSubstrings(decay=4.0), Subsequence(length=300, decay=1.0)], ids=repr
)
def test_values_too_large_for_a_number_are_refused(kernel):
    for ask in (kernel.gram, kernel.diag):
        with pytest.raises(DataError, match="too large") as caught:
            ask(["a" * 700])
        assert caught.value.code == "D165"


# -- parameters -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("make", "parameters"),
    [
        (Spectrum, {"k": 0}),
        (Spectrum, {"k": 2.5}),
        (Spectrum, {"k": True}),
        (Spectrum, {"column": 6}),
        (CommonSubstrings, {"min_length": 0}),
        (CommonSubstrings, {"decay": 0.0}),
        (CommonSubstrings, {"decay": float("inf")}),
        (Subsequence, {"length": 0}),
        (Subsequence, {"decay": 1.5}),
        (Subsequence, {"decay": float("nan")}),
        (Subsequence, {"length": 100, "decay": 0.01}),
        (WeightedDegree, {"degree": 0}),
        (WeightedDegree, {"shift": -1}),
    ],
)
def test_parameters_are_checked(make, parameters):
    with pytest.raises(ParameterError):
        make(**parameters)


def test_kernels_are_values():
    assert Spectrum("dna", k=np.int64(4)) == Spectrum("dna", k=4)
    assert hash(Subsequence(decay=1)) == hash(Subsequence(decay=1.0))
    assert repr(Subsequence("dna", length=2, decay=1)) == "Subsequence('dna', length=2, decay=1.0)"
    assert Spectrum(k=2) != Spectrum(k=3)


def test_a_column_of_a_table_and_the_algebra():
    table = {"dna": ["acgt", "acga"], "town": ["x", "y"]}
    assert Spectrum("dna", k=2).gram(table).tolist() == [[3, 2], [2, 3]]
    both = Spectrum("dna", k=2) + 2.0 * WeightedDegree("dna", degree=1)
    assert both.gram(table).tolist() == [[11, 8], [8, 11]]
    with pytest.raises(DataError):
        Spectrum(k=2).gram(table)


# -- the border -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "offsets", [[], [0], [1, 3], [0, 2], [0, 4], [0, 2, 1, 3], [0, -1, 3]], ids=str
)
def test_the_core_refuses_offsets_that_do_not_fit(offsets):
    form = _core.StringForm(0, 1, 1.0, 0)
    symbols, starts = np.zeros(3, np.uint32), np.array(offsets, np.int64)
    with pytest.raises(ValueError, match="offsets"):
        _core.string_diagonal(form, symbols, starts, 1)
    with pytest.raises(ValueError, match="offsets"):
        _core.string_gram(form, symbols, np.array([0, 3]), symbols, starts, 1)
    with pytest.raises(ValueError, match="neither"):
        _core.string_gram(form, symbols, np.array([0, 3]), symbols, None, 1)


@pytest.mark.parametrize("form", [(4, 1, 1.0, 0), (0, 0, 1.0, 0), (2, 2, 1.5, 0), (2, 2, 0.0, 0)])
def test_the_core_refuses_forms_out_of_range(form):
    with pytest.raises(ValueError, match=r"order|decay|kernel"):
        _core.StringForm(*form)
