"""The selector that is meant by a name, or a copy of the one that is given."""

from typing import Any

from sklearn.base import clone

from branchline.errors import ParameterError, Repair
from branchline.features._selector import Selector
from branchline.features._selector_names import (
    CRITERION_NAMES,
    SEARCHES,
    SELECTOR_NAMES,
    NamedSelector,
    check_selector_name,
)

__all__ = ["check_selector", "make_selector", "selector_words"]


def make_selector(
    select: Any, *, task: str = "auto", estimator: Any = None, random_state: Any = 0
) -> Selector:
    """Return an unfitted selector.

    Parameters
    ----------
    select
        A name with an optional number ("relief", "mutual_information:10", "forward:5", "shadow"),
        or a selector, which is copied.
    task
        "classification", "regression", or "auto" (default): by the kind of the target.
    estimator
        The learner by whose error columns are chosen, for selectors by name; None: their default.
    random_state
        The seed of selectors by name. Default 0.

    See Also
    --------
    Selector : root of estimators that choose columns.

    Examples
    --------
    >>> from branchline.features import make_selector
    >>> make_selector("relief:5")
    RankSelector(by='relief', n_columns=5)
    """
    check_selector(select)
    if not isinstance(select, str):
        copy: Selector = clone(select)
        return copy.set_params(task=task) if copy.task == "auto" else copy
    named = check_selector_name(select)
    made = _made(named)
    given = {"task": task, "random_state": random_state}
    if estimator is not None:
        given["estimator"] = estimator
    known = made.get_params(deep=False)
    _refuse_unused_estimator(named, estimator, known)
    return made.set_params(**{name: value for name, value in given.items() if name in known})


def _made(named: NamedSelector) -> Selector:
    from branchline import features

    if named.name in CRITERION_NAMES:
        return features.RankSelector(by=named.name, n_columns=named.n_columns)
    kind, parameters, takes_number = SEARCHES[named.name]
    number = {"n_columns": named.n_columns} if takes_number else {}
    made: Selector = getattr(features, kind)(**parameters, **number)
    return made


def _refuse_unused_estimator(named: NamedSelector, estimator: Any, known: dict[str, Any]) -> None:
    if estimator is None or "estimator" in known:
        return
    raise ParameterError(
        f"The selector {named.name!r} uses no learner, so none can be chosen for it.",
        code="P622",
        values=[estimator],
        repair=Repair("make_selector('forward', estimator='tree')", "leave --estimator out"),
    )


def check_selector(select: Any) -> None:
    """Refuse what is neither the name of a selector nor a selector.

    See Also
    --------
    check_selector_name : return what "relief:10" stands for.
    make_selector : return an unfitted selector.

    Examples
    --------
    >>> from branchline.features import check_selector, check_selector_name
    >>> check_selector("mutual_information:3")
    >>> check_selector_name("mutual_information:3").n_columns
    3
    """
    if isinstance(select, str):
        check_selector_name(select)
    elif not isinstance(select, Selector):
        raise ParameterError(
            f"Columns are chosen by the name of a selector or by a selector of branchline.features,"
            f" not by {select!r}. Names: {', '.join(SELECTOR_NAMES)}.",
            code="P620",
            values=[select],
            repair=Repair("select='mutual_information:10'"),
        )


def selector_words(select: Any) -> str:
    """Return a selector as it is shown: its name and number, or its repr.

    See Also
    --------
    make_selector : return an unfitted selector.

    Examples
    --------
    >>> from branchline.features import make_selector, selector_words
    >>> len(selector_words(make_selector("relief:10")))
    39
    """
    return str(check_selector_name(select)) if isinstance(select, str) else repr(select)
