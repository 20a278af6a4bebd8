"""Which hyper-parameters mattered in a search, and how many configurations were good enough.

1. A search scores C configurations in each of F training sets, on inner folds. A configuration's
   score is its mean over the training sets, each first put to the same level.
2. Where each value of a parameter was tried with the same values of all others (a full grid), its
   means are compared over the training sets, whose overlap is corrected for (``_variance_shares``).
3. Otherwise (values drawn at random) a parameter with k values splits the configurations into k
   groups; more than four different numbers are first put into four of about equal size. With MSB
   and MSW the mean squares between and within groups, F = MSB / MSW. The share of variance that
   the parameter alone explains, corrected for what chance explains, is
   ω² = (SSB − (k − 1) MSW) / (SST + MSW), at least 0 (Hays, 1963): a main effect of the functional
   analysis of variance (Hutter and others, 2014). Its interval holds the shares λ / (λ + C) whose
   noncentral F distribution (λ being its noncentrality) does not exclude the F seen (Steiger,
   2004). What several parameters do together counts as within, and so does noise.
4. p-values are corrected for the number of parameters (Holm, 1979). A parameter *did not matter* if
   the means of its values differ by less than what matters. It *mattered* if they differ by more
   and p < 0.05. Otherwise it is *not shown* either way. With fewer than 8 configurations drawn at
   random, or hardly more than groups, there are *too few* to tell.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from branchline._intervals import Interval
from branchline._plain_numbers import alike, count, joined, percent
from branchline._result_frame import Library, result_frame
from branchline.assess._holm import holm
from branchline.assess.comparing._setting_groups import NOT_USED, setting_groups
from branchline.assess.comparing._variance_shares import share_of_groups, share_of_levels

__all__ = ["Ease", "ParameterEffect", "Tuned", "ease_of"]

Floats = npt.NDArray[np.float64]
Trials = Sequence[Mapping[str, Any]]

_SURE = 0.05
_WORDS = {
    "mattered": "{} mattered",
    "did not matter": "{} did not matter",
    "not shown": "{} cannot be shown to matter or not",
    "too few": "for {} there are too few configurations to tell",
}


@dataclass(frozen=True)
class ParameterEffect:
    """What one hyper-parameter did to the tuned score.

    Parameters
    ----------
    name
        The parameter.
    share
        The share of the score's variance that it explains by itself, with its 95 % interval; NaN
        where it cannot be told.
    p_value
        How probable such a share is by chance, corrected for the number of parameters.
    verdict
        "mattered", "did not matter", "not shown" or "too few".
    n_values
        The number of its values, or of their groups.
    best, worst
        The value, or the range of values, with the best and the worst mean score.
    best_score, worst_score
        These mean scores, in the units of the metric.
    """

    name: str
    share: Interval
    p_value: float
    verdict: str
    n_values: int
    best: str
    worst: str
    best_score: float
    worst_score: float


@dataclass(frozen=True)
class Ease:
    """How easily a learner was tuned; print it to read it.

    Parameters
    ----------
    learner
        Its label.
    metric
        What was tuned for.
    n_configurations
        How many configurations were scored in every training set.
    n_good
        How many of them are within what matters of the best.
    parameters
        What each hyper-parameter did, the largest share first.
    """

    learner: str
    metric: str
    n_configurations: int
    n_good: int
    parameters: tuple[ParameterEffect, ...]

    def named(self, verdict: str) -> tuple[str, ...]:
        """Return the parameters with a verdict."""
        return tuple(one.name for one in self.parameters if one.verdict == verdict)

    @property
    def sentence(self) -> str:
        """What mattered and what did not, in a sentence or two."""
        good = (
            f"{self.learner}: {self.n_good} of {count(self.n_configurations, 'configuration')} "
            f"{'is' if self.n_good == 1 else 'are'} as good as the best, within what matters "
            f"({self.metric} on inner folds)."
        )
        parts = [
            words.format(joined([self._with_share(name) for name in names]))
            for verdict, words in _WORDS.items()
            if (names := self.named(verdict))
        ]
        told = "; ".join(parts)
        return (
            f"{good} {told[0].upper() if told.startswith('for') else told[0]}{told[1:]}."
            if told
            else good
        )

    def _with_share(self, name: str) -> str:
        one = next(one for one in self.parameters if one.name == name)
        return f"{name} ({percent(one.share.estimate)})" if one.verdict == "mattered" else name

    def to_frame(self, library: Library = "pandas") -> Any:
        """Return a row for each parameter, as a frame of pandas or polars."""
        rows = [asdict(one) for one in self.parameters]
        names = ("name", "p_value", "verdict", "n_values", "best", "worst")
        columns: dict[str, Any] = {name: [row[name] for row in rows] for name in names}
        for side in ("estimate", "low", "high"):
            columns[f"share_{side}"] = [row["share"][side] for row in rows]
        for name in ("best_score", "worst_score"):
            columns[name] = [row[name] for row in rows]
        return result_frame(columns, library)

    def to_dict(self) -> dict[str, Any]:
        """Return it as plain data."""
        return {**asdict(self), "sentence": self.sentence}

    def __str__(self) -> str:
        width = max([len(one.name) for one in self.parameters] + [9])
        lines = [self.sentence]
        for one in self.parameters:
            best, worst = alike([one.best_score, one.worst_score])
            share = "–"
            if math.isfinite(one.share.estimate):
                ends = f"{percent(one.share.low)} to {percent(one.share.high)}"
                share = f"{percent(one.share.estimate)} ({ends})"
            told = f"best {best} at {one.best}, worst {worst} at {one.worst}"
            if one.best_score == one.worst_score:
                told = f"{best} at all {one.n_values} values"
            lines.append(f"  {one.name:<{width}}  {share:<22}  {told}")
        return "\n".join(lines)


@dataclass(frozen=True)
class Tuned:
    """What a search was for: its metric, what matters of it, and how training sets overlap."""

    metric: str
    negligible: float
    less_is_better: bool
    test_to_train: float


def ease_of(learner: str, about: Tuned, trials: Sequence[Trials]) -> Ease | None:
    """Return what a learner's searches tell, one list of trials for each training set.

    None: nothing was searched, or no configuration was scored in every training set.
    """
    settings, scores = _matrix(trials)
    if len(settings) < 2:
        return None
    means = scores.mean(axis=1)
    level, centered = float(means.mean()), scores - scores.mean(axis=0)
    n_good = int((means >= means.max() - about.negligible).sum())
    names = sorted({name for setting in settings for name in setting})
    varied = [name for name in names if len({repr(one.get(name)) for one in settings}) > 1]
    found = [_effect(name, settings, centered, about.test_to_train) for name in varied]
    corrected = holm([p_value for _, _, p_value in found])
    effects = [
        _told(name, grouped, share, p_value, (level, about))
        for name, (grouped, share, _), p_value in zip(varied, found, corrected, strict=True)
    ]
    effects.sort(key=lambda one: (-_known(one.share.estimate), one.name))
    return Ease(learner, about.metric, len(settings), n_good, tuple(effects))


def _known(share: float) -> float:
    return share if math.isfinite(share) else -1.0


def _matrix(trials: Sequence[Trials]) -> tuple[list[dict[str, Any]], Floats]:
    """Return the configurations that were scored everywhere, and their scores."""
    settings: dict[str, dict[str, Any]] = {}
    scored: dict[str, list[float]] = {}
    for each in trials:
        for one in each:
            key = repr(sorted(one["parameters"].items()))
            if one["score"] is not None:
                settings[key] = dict(one["parameters"])
                scored.setdefault(key, []).append(float(one["score"]))
    kept = sorted(key for key, scores in scored.items() if len(scores) == len(trials))
    return [settings[key] for key in kept], np.array([scored[key] for key in kept])


_Grouped = list[tuple[str, float, int]]  # words, mean score, configurations


def _effect(
    name: str, settings: list[dict[str, Any]], scores: Floats, test_to_train: float
) -> tuple[_Grouped, Interval, float]:
    """Return a parameter's groups with their means, its share of the variance, and p."""
    words, places = setting_groups([setting.get(name, NOT_USED) for setting in settings])
    means = scores.mean(axis=1)
    grouped = [
        (word, float(means[places == at].mean()), int((places == at).sum()))
        for at, word in enumerate(words)
    ]
    if not _is_balanced(name, settings, places):
        return grouped, *share_of_groups(means, places, len(words))
    levels = np.array([scores[places == at].mean(axis=0) for at in range(len(words))])
    total = float(((means - means.mean()) ** 2).sum())
    between = sum(n * (mean - float(means.mean())) ** 2 for _, mean, n in grouped)
    part = min(1.0, between / total) if total > 0 else 0.0
    return grouped, *share_of_levels(levels, part, test_to_train)


def _is_balanced(name: str, settings: list[dict[str, Any]], places: npt.NDArray[np.intp]) -> bool:
    """Whether each value was tried with the same values of all other parameters."""
    others: dict[int, list[str]] = {}
    for setting, place in zip(settings, places.tolist(), strict=True):
        rest = sorted((key, repr(value)) for key, value in setting.items() if key != name)
        others.setdefault(place, []).append(repr(rest))
    first, *more = (sorted(rest) for rest in others.values())
    return all(rest == first for rest in more)


def _told(
    name: str,
    grouped: _Grouped,
    share: Interval,
    p_value: float,
    about: tuple[float, Tuned],
) -> ParameterEffect:
    level, sign = about[0], -1.0 if about[1].less_is_better else 1.0
    best, worst = (choose(grouped, key=lambda one: one[1]) for choose in (max, min))
    verdict = "mattered" if p_value < _SURE else "not shown"
    if math.isnan(p_value):
        verdict = "too few"
    elif best[1] - worst[1] < about[1].negligible:
        verdict = "did not matter"
    scores = (sign * (level + best[1]), sign * (level + worst[1]))
    return ParameterEffect(name, share, p_value, verdict, len(grouped), best[0], worst[0], *scores)
