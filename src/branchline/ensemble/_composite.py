"""Parameters of learners inside learners: ``set_params(tree__max_depth=3)``.

1. ``get_params(deep=True)`` lists each learner's parameters under its label.
2. ``set_params(label=learner)`` puts another learner in its place; ``label__parameter=value`` sets
   a parameter of it. A learner that was given by name becomes an estimator then.
3. What an ensemble promises (rounding, copies of columns) is what its least precise learner does.
"""

import inspect
from difflib import get_close_matches
from typing import Any, ClassVar, Self

from branchline._base import Predictor
from branchline._named_learners import (
    check_learner,
    check_learners,
    is_estimator,
    label_learners,
    make_learner,
    without_labels,
)
from branchline.errors import ParameterError, UnknownParameterError

__all__ = ["Composite"]

# How far apart predictions of other libraries' estimators may be, where nothing is promised.
_ELSEWHERE = 1e-9


class Composite(Predictor):
    """A learner whose parameters hold other learners."""

    # Parameters that hold a list of learners, and parameters that hold one.
    _lists: ClassVar[tuple[str, ...]] = ("estimators",)
    _singles: ClassVar[tuple[str, ...]] = ()
    # Words that a single one may be, which name no learner.
    _words: ClassVar[tuple[str | None, ...]] = ()

    def _parts(self) -> dict[str, Any]:
        """Return every learner (a name or an estimator) by label; what is invalid is left out."""
        parts: dict[str, Any] = {}
        for parameter in self._lists:
            value = getattr(self, parameter)
            if isinstance(value, list | tuple):
                parts |= dict(label_learners(value))
        parts |= {parameter: getattr(self, parameter) for parameter in self._singles}
        return {
            label: part
            for label, part in parts.items()
            if is_estimator(part) or (isinstance(part, str) and part not in self._words)
        }

    def _made(self, part: Any) -> Any:
        """Return the estimator that a part stands for, or None when there is no such name."""
        try:
            return make_learner(part, self._task)
        except ParameterError:
            return None

    # -- parameters -----------------------------------------------------------------------------

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """Return the parameters; with ``deep`` also those of each learner, under its label."""
        own: dict[str, Any] = super().get_params(deep=False)
        if not deep:
            return own
        inner: dict[str, Any] = {}
        for label, part in self._parts().items():
            made = self._made(part)
            if made is None:
                continue
            if is_estimator(part):
                inner[label] = part
            inner |= {f"{label}__{key}": value for key, value in made.get_params().items()}
        return {**inner, **own}

    def set_params(self, **parameters: Any) -> Self:
        """Set parameters by name; ``label__parameter`` sets one of a learner's parameters."""
        own = super().get_params(deep=False)
        super().set_params(**{key: parameters[key] for key in parameters if key in own})
        inner: dict[str, dict[str, Any]] = {}
        for key, value in parameters.items():
            label, _, parameter = key.partition("__")
            if key not in own:
                self._refuse_unknown_label(label, key, own)
                inner.setdefault(label, {})[parameter] = value
        for label, settings in inner.items():
            if "" in settings:
                self._put(label, settings.pop(""))
            if settings:
                made = make_learner(self._parts()[label], self._task)
                self._put(label, made.set_params(**settings))
        return self

    def _refuse_unknown_label(self, label: str, key: str, own: dict[str, Any]) -> None:
        labels = list(self._parts())
        if label in labels:
            return
        known = [*own, *labels]
        near = get_close_matches(label, known, n=1, cutoff=0.5)
        hint = f" Did you mean {near[0]!r}?" if near else ""
        raise UnknownParameterError(
            f"{type(self).__name__} got an unexpected keyword argument {key!r}.{hint} Its "
            f"parameters are: {', '.join(own)}; its learners are: {', '.join(labels)}.",
            code="P002",
        )

    def _put(self, label: str, learner: Any) -> None:
        """Let ``learner`` take the place of the one called ``label``."""
        if label in self._singles:
            setattr(self, label, learner)
            return
        for parameter in self._lists:
            value = getattr(self, parameter)
            labels = [one for one, _ in label_learners(value)]
            if label in labels:
                place = labels.index(label)
                changed = [*value[:place], (label, learner), *value[place + 1 :]]
                setattr(self, parameter, type(value)(changed))

    def _check_parameters(self) -> None:
        super()._check_parameters()
        owner = type(self).__name__
        for parameter in self._lists:
            labeled = label_learners(getattr(self, parameter))
            check_learners(owner, parameter, labeled, self._task)
            self._refuse_taken_labels(parameter, [label for label, _ in labeled])
        for parameter in self._singles:
            value = getattr(self, parameter)
            if value not in self._words:
                check_learner(owner, parameter, value, self._task)

    def _refuse_taken_labels(self, parameter: str, labels: list[str]) -> None:
        own = inspect.signature(type(self)).parameters
        for label in labels:
            if label in own:
                raise ParameterError(
                    f"The {parameter!r} parameter of {type(self).__name__} labels a learner "
                    f"{label!r}, which is the name of a parameter.",
                    code="P081",
                    values=[label],
                    repair=without_labels(parameter),
                )

    # -- what is promised -------------------------------------------------------------------------

    @property
    def _tolerance(self) -> float:  # type: ignore[override]
        made = [self._made(part) for part in self._parts().values()]
        return max([getattr(one, "_tolerance", _ELSEWHERE) for one in made], default=_ELSEWHERE)

    @property
    def _copies_of_columns_count(self) -> bool:  # type: ignore[override]
        made = [self._made(part) for part in self._parts().values()]
        return any(getattr(one, "_copies_of_columns_count", True) for one in made)
