"""Losses: slopes and curvatures by differences, bits for any order, leaves against slow twins."""

import math
import pickle

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import special

from branchline import _core
from branchline._dtypes import CLASS_INDEX, UNITS
from branchline._validation import RowWeights
from branchline.boosting._class_losses import ExponentialLoss, LogisticLoss, SoftmaxLoss
from branchline.boosting._loss_interface import Leaves
from branchline.boosting._losses_by_name import (
    CLASS_LOSSES,
    NUMBER_LOSSES,
    make_class_loss,
    make_loss,
)
from branchline.boosting._number_losses import (
    AbsoluteLoss,
    GammaLoss,
    HuberLoss,
    PoissonLoss,
    QuantileLoss,
    SquaredLoss,
    TweedieLoss,
)
from branchline.boosting._user_loss import AdaptedLoss, UserLoss
from branchline.errors import DataError, ParameterError

SMOOTH = [
    SquaredLoss(),
    HuberLoss(delta=1.5),
    PoissonLoss(),
    GammaLoss(),
    TweedieLoss(1.3),
    TweedieLoss(1.9),
    LogisticLoss(),
    ExponentialLoss(),
    SoftmaxLoss(2),
    SoftmaxLoss(5),
]
LOSSES = [*SMOOTH, AbsoluteLoss(), QuantileLoss((0.1, 0.5, 0.9))]
LARGEST = 2.0**127


def names(loss):
    return repr(loss)


def n_classes_of(loss):
    return max(2, loss.n_outputs)


def problem(loss, n_rows, seed=0, spread=3.0):
    random = np.random.default_rng(seed)
    raw = random.normal(0, spread, (loss.n_outputs, n_rows))
    if loss.has_classes:
        return random.integers(0, n_classes_of(loss), n_rows).astype(CLASS_INDEX), raw
    return random.gamma(1.0, 2.0, n_rows) + 0.01, raw


def derivatives(loss, target, raw, n_threads=1):
    gradient, hessian = np.full((2, *raw.shape), np.nan, np.float32)
    loss.gradients(target, raw, gradient, hessian, n_threads=n_threads)
    return gradient, hessian


def value(loss, target, raw, weights=None, n_threads=1):
    return loss.value(target, weights or RowWeights(), raw, n_threads=n_threads)


# -- slow twins -----------------------------------------------------------------------------------


def twin_loss(loss, y, scores):
    """Return the loss of one row, in plain Python."""
    if isinstance(loss, SoftmaxLoss):
        return special.logsumexp(scores) - scores[int(y)]
    if isinstance(loss, QuantileLoss):
        pairs = zip(loss.quantiles, scores, strict=True)
        return sum(max(q * (y - f), (1 - q) * (f - y)) for q, f in pairs)
    (f,) = scores
    side = 2.0 * float(y) - 1
    distance = abs(f - y)
    power = getattr(loss, "power", 1.5)
    formulas = {
        SquaredLoss: lambda: distance**2 / 2,
        AbsoluteLoss: lambda: distance,
        HuberLoss: lambda: (
            distance**2 / 2 if distance <= loss.delta else loss.delta * (distance - loss.delta / 2)
        ),
        PoissonLoss: lambda: math.exp(f) - y * f + special.xlogy(y, y) - y,
        GammaLoss: lambda: y * math.exp(-f) + f - math.log(y) - 1,
        TweedieLoss: lambda: (
            math.exp((2 - power) * f) / (2 - power)
            + y * math.exp((1 - power) * f) / (power - 1)
            - y ** (2 - power) / ((power - 1) * (2 - power))
        ),
        LogisticLoss: lambda: np.logaddexp(0, -side * f),
        ExponentialLoss: lambda: math.exp(-side * f),
    }
    return formulas[type(loss)]()


def twin_quantile(values, units, quantile):
    copies = np.sort(np.repeat(values, units))
    if len(copies) == 0:
        return 0.0
    wanted = quantile * len(copies)
    if abs(wanted - round(wanted)) < 1e-9:
        wanted = round(wanted)
        at = max(wanted, 1) - 1
        after = min(at + 1, len(copies) - 1) if wanted else at
        return copies[at] / 2 + copies[after] / 2
    return copies[math.ceil(wanted) - 1]


# -- values and derivatives -----------------------------------------------------------------------


@pytest.mark.parametrize("loss", LOSSES, ids=names)
def test_values_are_those_of_the_formulas(loss):
    target, raw = problem(loss, 200)
    expected = [twin_loss(loss, y, raw[:, row]) for row, y in enumerate(target)]
    assert value(loss, target, raw) == pytest.approx(np.mean(expected), rel=1e-13, abs=1e-15)


def slopes(loss, target, raw, step):
    """Return the central differences of the mean loss of one row, output by output."""
    found = []
    for output in range(loss.n_outputs):
        sides = []
        for sign in (1, -1):
            moved = raw.copy()
            moved[output] += sign * step
            sides.append(value(loss, target, moved))
        found.append((sides[0] - sides[1]) / (2 * step))
    return np.array(found)


@pytest.mark.parametrize("loss", LOSSES, ids=names)
@given(data=st.data())
def test_gradients_are_slopes_of_the_value(loss, data):
    scores = st.floats(-30, 30) | st.sampled_from([0.0, 1e-3, -1e-3])
    raw = np.array([[data.draw(scores)] for _ in range(loss.n_outputs)])
    if loss.has_classes:
        target = np.array([data.draw(st.integers(0, n_classes_of(loss) - 1))], CLASS_INDEX)
    else:
        target = np.array([data.draw(st.floats(1e-3, 100))])
        if not isinstance(loss, tuple(type(each) for each in SMOOTH)):  # a kink has no slope
            raw[np.abs(raw - target) < 1e-3] += 0.01
    step = 1e-5
    expected = slopes(loss, target, raw, step)
    size = value(loss, target, raw)
    gradient = derivatives(loss, target, raw)[0][:, 0]
    # Rounding of the value by differences, float32, and the third derivative times step².
    noise = 1e-15 * (size + np.abs(raw).max() + np.abs(target).max()) / step
    assert np.allclose(gradient, expected, rtol=1e-6, atol=1e-6 + 4 * noise)


@pytest.mark.parametrize("loss", SMOOTH, ids=names)
@given(score=st.lists(st.floats(-8, 8), min_size=5, max_size=5), y=st.integers(0, 4))
def test_hessians_are_curvatures_of_the_value(loss, score, y):
    raw = np.array(score)[: loss.n_outputs, None]
    target = np.array([y % n_classes_of(loss)], CLASS_INDEX) if loss.has_classes else None
    target = np.array([y + 0.3]) if target is None else target
    if isinstance(loss, HuberLoss) and abs(raw[0, 0] - target[0]) > loss.delta - 0.01:
        raw[0, 0] = target[0] + 0.5
    step, curves = 1e-3, []
    for output in range(loss.n_outputs):
        around = []
        for move in (-step, 0, step):
            moved = raw.copy()
            moved[output] += move
            around.append(value(loss, target, moved))
        curves.append((around[0] - 2 * around[1] + around[2]) / step**2)
    k = loss.n_outputs
    factor = k / (k - 1) if isinstance(loss, SoftmaxLoss) else 1
    hessian = derivatives(loss, target, raw)[1][:, 0]
    noise = 1e-15 * (value(loss, target, raw) + 20) / step**2
    assert np.allclose(hessian, factor * np.array(curves), rtol=1e-5, atol=1e-6 + 4 * noise)


@pytest.mark.parametrize("loss", [LogisticLoss(), SoftmaxLoss(3), SoftmaxLoss(50)], ids=names)
def test_probabilities_keep_their_digits_in_32_bits(loss):
    target, raw = problem(loss, 4000, spread=8)
    p = loss.to_prediction(raw)
    if loss.n_outputs == 1:
        p, not_p = p[:, 1:].T, p[:, :1].T
    else:
        p, not_p = p.T, np.array([np.delete(p, k, axis=1).sum(axis=1) for k in range(len(raw))])
    is_own = target == np.arange(len(raw))[:, None] if len(raw) > 1 else target[None] == 1
    gradient, hessian = derivatives(loss, target, raw)
    factor = len(raw) / (len(raw) - 1) if len(raw) > 1 else 1
    # The score is rounded to 32 bits: its size times 2^-24 is a relative error of the odds.
    tolerance = (np.ptp(raw, axis=0).max() + np.abs(raw).max() + len(raw) + 8) * 2.0**-24
    assert np.allclose(gradient, np.where(is_own, -not_p, p), rtol=tolerance, atol=1e-37)
    assert np.allclose(hessian, factor * p * not_p, rtol=2 * tolerance, atol=1e-37)


def test_two_classes_move_alike_by_softmax_and_logistic_steps():
    target, raw = problem(LogisticLoss(), 100)
    gradient, hessian = derivatives(LogisticLoss(), target, raw)
    both = np.vstack([np.zeros_like(raw), raw])
    of_two, curve = derivatives(SoftmaxLoss(2), target, both)
    steps = of_two / curve
    assert np.allclose(steps[1] - steps[0], (gradient / hessian)[0], rtol=1e-4)


@given(st.lists(st.floats(0.01, 1), min_size=2, max_size=8))
def test_the_factor_of_softmax_is_the_mean_curvature(shares):
    p = np.array(shares) / np.sum(shares)
    curvatures = np.linalg.eigvals((np.diag(p) - np.outer(p, p)) / (p * (1 - p))[:, None])
    others = np.sort(curvatures.real)[1:]
    assert np.sort(np.abs(curvatures))[0] == pytest.approx(0, abs=1e-9)
    assert others.mean() == pytest.approx(len(p) / (len(p) - 1))
    assert others.max() <= 2 + 1e-9


# -- accuracy and saturation ----------------------------------------------------------------------


def test_exponentials_are_right_to_the_last_bits():
    x = np.linspace(-700, 700, 100_001)
    means = _core.predictions_of_scores(_core.ScoreLink.exponential, x, 1, 1)
    assert np.abs(means / np.exp(x) - 1).max() <= 2 * np.finfo(np.float64).eps
    # The gradient of class 0 is e^F / (1 + e^F): nearly e^F in 32 bits where F is low.
    low = np.linspace(-86.5, -20, 50_001).astype(np.float32).astype(np.float64)
    gradient = derivatives(LogisticLoss(), np.zeros(len(low), CLASS_INDEX), low[None])[0][0]
    assert np.abs(gradient / special.expit(low) - 1).max() <= 2 * np.finfo(np.float32).eps


@pytest.mark.parametrize("loss", LOSSES, ids=names)
@pytest.mark.parametrize("size", [700.0, 1e5, 1e308, np.inf])
def test_huge_scores_saturate_without_warnings(loss, size):
    target, raw = problem(loss, 60)
    raw[:] = np.random.default_rng(1).choice([-size, 0.0, size], raw.shape)
    gradient, hessian = derivatives(loss, target, raw)
    assert (np.abs(gradient) <= LARGEST).all()
    assert ((hessian >= 0) & (hessian <= LARGEST)).all()
    assert 0 <= value(loss, target, raw) < np.inf
    predicted = loss.to_prediction(raw)
    if loss.has_classes or isinstance(loss, PoissonLoss | GammaLoss | TweedieLoss):
        assert np.isfinite(predicted).all()
        assert (predicted >= 0).all()
    if loss.has_classes:
        assert predicted.sum(axis=1) == pytest.approx(1)


@pytest.mark.parametrize("score", [-700.0, 700.0])
@pytest.mark.parametrize("loss", [PoissonLoss(), GammaLoss(), ExponentialLoss(), LogisticLoss()])
def test_gradients_far_out_are_the_clipped_ones(loss, score):
    y = np.array([1], CLASS_INDEX) if loss.has_classes else np.array([1.0])
    true = {
        "poisson": math.exp(score) - 1,
        "gamma": 1 - math.exp(-score),
        "exponential": -math.exp(-score),
        "log_loss": -special.expit(-score),
    }[loss.name]
    gradient = derivatives(loss, y, np.array([[score]]))[0][0, 0]
    assert gradient == pytest.approx(np.clip(true, -LARGEST, LARGEST), rel=1e-6, abs=1e-37)


# -- the same bits --------------------------------------------------------------------------------


@pytest.mark.parametrize("loss", LOSSES, ids=names)
def test_order_of_rows_and_threads_do_not_change_a_bit(loss):
    target, raw = problem(loss, 40_000)
    units = np.random.default_rng(2).integers(1, 9, len(target)).astype(UNITS)
    order = np.random.default_rng(3).permutation(len(target))
    shuffled = np.ascontiguousarray(raw[:, order])
    known = derivatives(loss, target, raw)
    for part, again in zip(known, derivatives(loss, target[order], shuffled, 3), strict=True):
        assert part[:, order].tobytes() == again.tobytes()
    for weights in (RowWeights(), RowWeights(units)):
        moved = RowWeights(None if weights.units is None else units[order])
        before = value(loss, target, raw, weights)
        assert before == value(loss, target[order], shuffled, moved, n_threads=3)
    one_by_one = [loss.to_prediction(np.ascontiguousarray(raw[:, [row]])) for row in range(50)]
    assert np.array_equal(np.concatenate(one_by_one), loss.to_prediction(raw)[:50])


@pytest.mark.parametrize("loss", LOSSES, ids=names)
def test_units_are_copies(loss):
    target, raw = problem(loss, 300)
    units = np.random.default_rng(4).integers(1, 5, len(target)).astype(UNITS)
    weights, copied = RowWeights(units), np.repeat(target, units)
    assert value(loss, target, raw, weights) == value(loss, copied, np.repeat(raw, units, axis=1))
    assert np.array_equal(loss.initial(target, weights), loss.initial(copied, RowWeights()))


def test_fine_weights_keep_the_digits_of_the_mean():
    target, raw = problem(LogisticLoss(), 1000)
    weight = np.random.default_rng(5).random(1000)
    units = np.rint(np.ldexp(weight, 41)).astype(UNITS)  # a total near 2^50
    losses = [twin_loss(LogisticLoss(), y, raw[:, row]) for row, y in enumerate(target)]
    expected = np.average(losses, weights=units)
    assert value(LogisticLoss(), target, raw, RowWeights(units)) == pytest.approx(expected, 1e-14)


# -- beginnings and leaves ------------------------------------------------------------------------


@pytest.mark.parametrize("loss", LOSSES, ids=names)
def test_no_other_constant_has_less_loss(loss):
    target, raw = problem(loss, 501)
    weights = RowWeights(np.random.default_rng(6).integers(1, 4, 501).astype(UNITS))
    begin = loss.initial(target, weights)
    assert begin.shape == (loss.n_outputs,)
    if isinstance(loss, HuberLoss):  # begins with the median, as Friedman does
        return
    least = value(loss, target, np.tile(begin[:, None], 501), weights)
    for output in range(loss.n_outputs):
        for move in (-1e-3, 1e-3, 0.5):
            other = begin.copy()
            other[output] += move
            raw[:] = other[:, None]
            assert value(loss, target, raw, weights) >= least - 1e-15


def test_classes_and_events_that_never_happen_have_finite_scores():
    zeros = np.zeros(3, CLASS_INDEX)
    assert np.isfinite(LogisticLoss().initial(zeros, RowWeights())).all()
    assert np.isfinite(SoftmaxLoss(4).initial(zeros, RowWeights())).all()
    assert np.isfinite(PoissonLoss().initial(np.zeros(3), RowWeights())).all()


@given(
    rows=st.lists(
        st.tuples(
            st.sampled_from([-2.5, -1.0, -0.0, 0.0, 1.0, 3.0]) | st.floats(-1e300, 1e300),
            st.integers(0, 3),
            st.integers(0, 4),
        ),
        min_size=1,
        max_size=40,
    ),
    quantile=st.sampled_from([0.0, 0.1, 0.25, 0.5, 0.9, 1.0]) | st.floats(0, 1),
)
def test_leaf_quantiles_are_those_of_sorted_copies(rows, quantile):
    values, leaf, units = (np.array(part) for part in zip(*rows, strict=True))
    found = _core.leaf_quantiles(
        values.astype(np.float64), leaf.astype(CLASS_INDEX), 5, units.astype(UNITS), quantile, 1
    )
    for number in range(5):
        mine = leaf == number
        expected = twin_quantile(values[mine], units[mine], quantile)
        assert found[number] == pytest.approx(expected, rel=1e-15), number


@pytest.mark.parametrize("quantile", [0.1, 0.5, 0.83])
@pytest.mark.parametrize("digits", [0, 12])
def test_large_leaves_are_like_small_ones(quantile, digits):
    random = np.random.default_rng(7)
    values = np.round(random.standard_cauchy(150_000), digits)
    leaf = random.integers(0, 6, len(values)).astype(CLASS_INDEX)
    units = random.integers(0, 3, len(values)).astype(UNITS)
    found = _core.leaf_quantiles(values, leaf, 7, units, quantile, 2)
    for number in range(7):
        mine = leaf == number
        assert found[number] == twin_quantile(values[mine], units[mine], quantile)
    order = random.permutation(len(values))
    again = _core.leaf_quantiles(values[order], leaf[order], 7, units[order], quantile, 1)
    assert found.tobytes() == again.tobytes()


@pytest.mark.parametrize("delta", [0.0, 0.7, 5.0, 1e300])
def test_huber_leaves_are_medians_and_clipped_means(delta):
    random = np.random.default_rng(8)
    target, raw = random.standard_cauchy(3000), random.normal(size=(1, 3000))
    leaves = Leaves(random.integers(0, 4, 3000).astype(CLASS_INDEX), 4)
    found = HuberLoss(delta=delta).leaf_values(target, raw, 0, leaves, n_threads=2)
    for number in range(4):
        errors = (target - raw[0])[leaves.leaf_of_row == number]
        median = np.median(errors)
        expected = median + np.clip(errors - median, -delta, delta).mean()
        assert found[number] == pytest.approx(expected, rel=1e-12, abs=1e-12)
    order = random.permutation(3000)
    moved = Leaves(leaves.leaf_of_row[order], 4)
    again = HuberLoss(delta=delta).leaf_values(
        target[order], np.ascontiguousarray(raw[:, order]), 0, moved
    )
    assert found.tobytes() == again.tobytes()


@pytest.mark.parametrize("loss", [AbsoluteLoss(), QuantileLoss((0.2, 0.8))], ids=names)
def test_leaves_of_medians_and_quantiles_lower_the_loss_most(loss):
    target, raw = problem(loss, 400)
    leaf = np.random.default_rng(9).integers(0, 3, 400).astype(CLASS_INDEX)
    for output in range(loss.n_outputs):
        step = loss.leaf_values(target, raw, output, Leaves(leaf, 3))
        raw[output] += step[leaf]
    least = value(loss, target, raw)
    for move in (-0.01, 0.01):
        assert value(loss, target, raw + move * (leaf == 1)) >= least
    assert SquaredLoss().leaf_values(target, raw, 0, Leaves(leaf, 3)) is None


def test_huber_takes_its_delta_from_the_errors_of_the_round():
    target, raw = problem(SquaredLoss(), 1000)
    loss = HuberLoss(0.9).for_round(target, RowWeights(), raw)
    assert loss.delta == twin_quantile(np.abs(target - raw[0]), np.ones(1000, int), 0.9)
    assert loss.for_round(target, RowWeights(), raw * 2) is loss
    assert SquaredLoss().for_round(target, RowWeights(), raw) == SquaredLoss()


# -- names, refusals ------------------------------------------------------------------------------


def test_losses_have_names():
    assert [make_loss(name).name for name in NUMBER_LOSSES] == list(NUMBER_LOSSES)
    assert make_loss("quantile", [0.1, 0.9]) == QuantileLoss((0.1, 0.9))
    assert make_loss("quantile", 0.3) == QuantileLoss((0.3,))
    assert [make_class_loss(name, 2).name for name in CLASS_LOSSES] == list(CLASS_LOSSES)
    assert make_class_loss("log_loss", 3) == SoftmaxLoss(3)
    assert all(pickle.loads(pickle.dumps(loss)) == loss for loss in LOSSES)


@pytest.mark.parametrize(
    "make",
    [
        lambda: make_loss("squared"),
        lambda: make_loss("quantile", 1.5),
        lambda: make_loss("quantile", []),
        lambda: make_class_loss("hinge", 2),
        lambda: make_class_loss("exponential", 3),
        lambda: HuberLoss(quantile=0),
        lambda: HuberLoss(delta=-1),
        lambda: TweedieLoss(2),
    ],
)
def test_losses_that_do_not_exist_are_refused(make):
    with pytest.raises(ParameterError) as caught:
        make()
    assert caught.value.code == "P153"


def test_targets_that_a_loss_does_not_allow_are_refused():
    PoissonLoss().check_target(np.array([0.0, 1.0]))
    SquaredLoss().check_target(np.array([-1.0]))
    for loss, least in ((PoissonLoss(), -1.0), (TweedieLoss(), -1.0), (GammaLoss(), 0.0)):
        with pytest.raises(DataError, match="targets") as caught:
            loss.check_target(np.array([1.0, least]))
        assert caught.value.code == "D150"
        assert caught.value.rows == (1,)


def test_arrays_in_another_order_are_refused():
    target, raw = problem(SoftmaxLoss(3), 10)
    with pytest.raises(ValueError, match="C order"):
        derivatives(SoftmaxLoss(3), target, np.asfortranarray(raw))


# -- losses of users ------------------------------------------------------------------------------


class Square:
    def gradient_hessian(self, y, raw):
        return raw - y, np.ones_like(raw)

    def initial(self, y, weight):
        return np.average(y, weights=weight)

    def value(self, y, raw):
        return (raw - y) ** 2 / 2


class ManyClasses:
    def gradient_hessian(self, y, raw):
        p = special.softmax(raw, axis=1)
        return p - (y[:, None] == np.arange(raw.shape[1])), p * (1 - p)


def test_a_users_loss_is_as_good_as_ours():
    target, raw = problem(SquaredLoss(), 50)
    mine, ours = AdaptedLoss(Square()), SquaredLoss()
    assert isinstance(Square(), UserLoss)
    assert mine.has_value
    for seen, known in zip(
        derivatives(mine, target, raw), derivatives(ours, target, raw), strict=True
    ):
        assert np.array_equal(seen, known)
    assert value(mine, target, raw) == pytest.approx(value(ours, target, raw), rel=1e-14)
    assert mine.initial(target, RowWeights()) == pytest.approx(ours.initial(target, RowWeights()))
    assert np.array_equal(mine.to_prediction(raw), raw[0])


def test_a_users_loss_of_classes_sees_a_row_a_case():
    target, raw = problem(SoftmaxLoss(4), 30)
    mine, ours = AdaptedLoss(ManyClasses(), 4), SoftmaxLoss(4)
    assert np.allclose(derivatives(mine, target, raw)[0], derivatives(ours, target, raw)[0])
    assert np.array_equal(mine.to_prediction(raw), ours.to_prediction(raw))
    assert np.array_equal(mine.initial(target, RowWeights()), np.zeros(4))
    assert not mine.has_value
    with pytest.raises(ParameterError, match="value"):
        value(mine, target, raw)


def answering(answer):
    class Odd:
        def gradient_hessian(self, y, raw):
            return answer(y, raw)

    return Odd()


@pytest.mark.parametrize(
    ("answer", "about", "rows"),
    [
        (lambda y, raw: raw - y, "two arrays", ()),
        (lambda y, raw: (raw[:-1], raw), "shape", ()),
        (lambda y, raw: (raw, np.ones((len(raw), 1))), "shape", ()),
        (lambda y, raw: ("no", raw), "not an array of numbers", ()),
        (lambda y, raw: (np.where(y > 5, np.nan, raw), raw * 0), "gradient", (2,)),
        (lambda y, raw: (np.where(y > 5, 1e39, raw), raw * 0), "gradient", (2,)),
        (lambda y, raw: (raw, np.where(y > 5, -1e-9, 1)), "at least 0", (2,)),
        (lambda y, raw: (raw, np.where(y > 5, np.inf, 1)), "hessian", (2,)),
    ],
)
def test_a_users_loss_that_answers_wrongly_is_named(answer, about, rows):
    target, raw = np.array([1.0, 2.0, 7.0]), np.zeros((1, 3))
    with pytest.raises(ParameterError, match=about) as caught:
        derivatives(AdaptedLoss(answering(answer)), target, raw)
    assert caught.value.code == "P150"
    assert caught.value.rows == rows
    assert "Odd" in str(caught.value)


def test_a_users_loss_cannot_change_targets_or_scores():
    def spoil(y, raw):
        raw += 1
        return raw, raw

    with pytest.raises(ValueError, match="read-only"):
        derivatives(AdaptedLoss(answering(spoil)), np.zeros(3), np.zeros((1, 3)))


def test_a_beginning_or_values_that_are_no_numbers_are_refused():
    class Odd(Square):
        def initial(self, y, weight):
            return [np.nan]

        def value(self, y, raw):
            return np.full(len(y), np.inf)

    target, raw = problem(SquaredLoss(), 5)
    with pytest.raises(ParameterError, match="initial"):
        AdaptedLoss(Odd()).initial(target, RowWeights())
    with pytest.raises(ParameterError, match="value"):
        value(AdaptedLoss(Odd()), target, raw)
