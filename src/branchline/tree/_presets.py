"""Named settings: functions that return a decision tree with its parameters set.

Any parameter of the tree can be given besides: ``C45(max_depth=5)``.
"""

import inspect
from collections.abc import Callable
from difflib import get_close_matches
from typing import Any, TypeVar

from branchline._validation import refuse_unknown_parameters
from branchline.errors import ParameterError, Repair
from branchline.tree._decision_tree import DecisionTreeClassifier, DecisionTreeRegressor
from branchline.tree._linear_tree import LinearTreeRegressor

__all__ = ["C45", "CART", "ID3", "M5", "ObliqueTree", "OneRule", "Stump"]

Tree = DecisionTreeClassifier | DecisionTreeRegressor
Kind = TypeVar("Kind", DecisionTreeClassifier, DecisionTreeRegressor, LinearTreeRegressor, Tree)

_TASKS: dict[str, type[Tree]] = {
    "classification": DecisionTreeClassifier,
    "regression": DecisionTreeRegressor,
}


def _tree_for(task: str, preset: str) -> type[Tree]:
    if isinstance(task, str) and task in _TASKS:
        return _TASKS[task]
    near = get_close_matches(str(task), _TASKS, n=1)
    hint = f" Did you mean {near[0]!r}?" if near else ""
    raise ParameterError(
        f"The 'task' parameter of {preset} must be 'classification' or 'regression'. Got {task!r} "
        f"instead.{hint}",
        code="P001",
        values=[task],
        repair=Repair(f"model = {preset}(task={(near or ['regression'])[0]!r})"),
    )


def _make(
    preset: Callable[..., Any],
    tree: type[Kind],
    settings: dict[str, Any],
    parameters: dict[str, Any],
    **own: Any,
) -> Kind:
    """Return a tree with the preset's settings, over which the given parameters win.

    ``own`` are the parameters that the preset itself names.
    """
    usual = inspect.signature(preset).parameters
    # What the user has not written should not stand in the line that mends it.
    given = {name: value for name, value in own.items() if value is not usual[name].default}
    refuse_unknown_parameters(preset, {**given, **parameters}, passes_on_to=tree)
    return tree(**{**settings, **parameters})


def ID3(**parameters: Any) -> DecisionTreeClassifier:  # noqa: N802 (used like a class)
    """Return ID3 (Quinlan, 1986): entropy, a branch for each category, no pruning.

    For teaching and for comparison with the literature; on noisy tables ``DecisionTreeClassifier``
    predicts better. A node is split while its classes are mixed and a column varies, even if no
    test gains anything, so ID3 solves XOR. Missing values get a branch of their own. Numbers are
    split at one threshold. Parameters of ``DecisionTreeClassifier`` can be given and replace these
    settings.

    See Also
    --------
    DecisionTreeClassifier : a decision tree that predicts a class.

    Examples
    --------
    >>> from branchline import load_dataset
    >>> from branchline.tree import ID3
    >>> X, y = load_dataset("tennis").split_target("play")
    >>> print(ID3().fit(X, y).to_text())
    outlook
      overcast: yes 100 % of 4
      rain:
        wind
          strong: no 100 % of 2
          weak: yes 100 % of 3
      sunny:
        humidity
          high: no 100 % of 3
          normal: yes 100 % of 2
    """
    settings: dict[str, Any] = {
        "criterion": "entropy",
        "split": "multiway",
        "missing": "own",
        "zero_gain": "split",
        "prune": None,
        "correct_for_chance": False,
    }
    return _make(ID3, DecisionTreeClassifier, settings, parameters)


def C45(**parameters: Any) -> DecisionTreeClassifier:  # noqa: N802
    """Return C4.5 (Quinlan, 1993; release 8): gain ratio and pessimistic pruning.

    A row with a missing value goes down every branch, with weights. Pruning replaces subtrees by
    leaves; it does not raise subtrees. Parameters of ``DecisionTreeClassifier`` can be given and
    replace these settings.

    See Also
    --------
    DecisionTreeClassifier : a decision tree that predicts a class.

    Examples
    --------
    >>> from branchline import load_dataset
    >>> from branchline.tree import C45
    >>> X, y = load_dataset("votes84").split_target("party")
    >>> C45().fit(X, y).tree_.n_leaves
    6
    """
    settings: dict[str, Any] = {
        "criterion": "gain_ratio",
        "split": "multiway",
        "missing": "fractional",
        "min_samples_leaf": 2,
        "prune": "pessimistic",
        "confidence": 0.25,
        "cautious_thresholds": True,
        "correct_for_chance": False,
    }
    return _make(C45, DecisionTreeClassifier, settings, parameters)


def CART(*, task: str = "classification", **parameters: Any) -> Tree:  # noqa: N802
    """Return CART (Breiman et al., 1984): binary tests, pruning by folds, 1-SE rule.

    A missing value takes the branch that makes the test better. If a column has more than ten
    categories with a single row each, these categories are treated as missing.
    ``task="regression"`` gives the regression tree. Parameters of the decision trees can be given
    and replace these settings.

    See Also
    --------
    DecisionTreeClassifier : a decision tree that predicts a class.
    DecisionTreeRegressor : a decision tree that predicts a number, or several.

    Examples
    --------
    >>> from branchline import load_dataset
    >>> from branchline.tree import CART
    >>> X, y = load_dataset("auto-mpg").split_target("mpg")
    >>> round(CART(task="regression").fit(X, y).score(X, y), 2)
    0.84
    """
    settings: dict[str, Any] = {"correct_for_chance": False, "rule": "one_se"}
    return _make(CART, _tree_for(task, "CART"), settings, parameters, task=task)


def M5(**parameters: Any) -> LinearTreeRegressor:  # noqa: N802
    """Return M5 (Quinlan, 1992; Wang and Witten, 1997): a tree with a linear model in each leaf.

    Tests are chosen by the reduction of the standard deviation. A node becomes a leaf below 5 % of
    the overall standard deviation. The linear model of a node uses the columns tested below it;
    terms that do not lower the corrected error are dropped. Subtrees are pruned by the corrected
    error, and models are smoothed along the path with k = 15. Standard deviations are compared by
    their squares; missing values take the better branch. ``LinearTreeRegressor`` with its defaults
    compares tests by linear models and is more accurate.

    See Also
    --------
    LinearTreeRegressor : a regression tree with a linear model in each leaf.

    Examples
    --------
    >>> from branchline import load_dataset
    >>> from branchline.tree import M5
    >>> X, y = load_dataset("auto-mpg").split_target("mpg")
    >>> round(M5().fit(X, y).score(X, y), 2)
    0.91
    """
    settings: dict[str, Any] = {
        "grow_by": "variance",
        "terms": "tested",
        "drop_terms": True,
        "max_depth": None,
        "min_samples_leaf": 4,
        "term_penalty": 2.0,
        "smoothing": 15.0,
        "alpha": 1e-4,
    }
    return _make(M5, LinearTreeRegressor, settings, parameters)


def ObliqueTree(*, task: str = "classification", **parameters: Any) -> Tree:  # noqa: N802
    """Return a tree that also tests sums of few numeric columns, such as age − 0.37·income ≤ 2.1.

    Sums have at most ``n_test_columns`` columns, 3 by default. The tree is smaller than one of
    single columns where classes differ along combinations of numbers; pruning by ten folds decides
    how large it gets. ``task="regression"`` gives the regression tree.

    See Also
    --------
    DecisionTreeClassifier : a decision tree that predicts a class.
    DecisionTreeRegressor : a decision tree that predicts a number, or several.

    Examples
    --------
    >>> from branchline import load_dataset
    >>> from branchline.tree import ObliqueTree
    >>> X, y = load_dataset("iris").split_target("species")
    >>> model = ObliqueTree().fit(X, y)
    >>> print(model.rules()[1].conditions[1])
    petal_length + 0.828·petal_width − 0.432·sepal_length ≤ 3.5626
    >>> round(model.score(X, y), 2)
    0.99
    """
    settings: dict[str, Any] = {"tests": "oblique"}
    return _make(ObliqueTree, _tree_for(task, "ObliqueTree"), settings, parameters, task=task)


def OneRule(  # noqa: N802
    *, min_samples_leaf: int = 6, **parameters: Any
) -> DecisionTreeClassifier:
    """Return the one-rule learner: a tree that tests one column.

    It takes the column that predicts the class best by itself. Each category of that column
    predicts its most frequent class; a number is split at one threshold. Compare other learners
    with it: often one column is nearly as good as all.

    Categories with fewer than ``min_samples_leaf`` rows share a branch, so that a column of
    identifiers does not win. (Holte, 1993, also asks for six rows of one class.)

    See Also
    --------
    DecisionTreeClassifier : a decision tree that predicts a class.

    Examples
    --------
    >>> from branchline import load_dataset
    >>> from branchline.tree import OneRule
    >>> X, y = load_dataset("votes84").split_target("party")
    >>> round(OneRule().fit(X, y).score(X, y), 3)
    0.956
    """
    settings: dict[str, Any] = {
        "criterion": "misclassification",
        "split": "multiway",
        "max_depth": 1,
        "min_samples_leaf": min_samples_leaf,
        "rare_categories": "share",
        "prune": None,
        "correct_for_chance": False,
    }
    return _make(
        OneRule, DecisionTreeClassifier, settings, parameters, min_samples_leaf=min_samples_leaf
    )


def Stump(*, task: str = "classification", **parameters: Any) -> Tree:  # noqa: N802
    """Return a decision stump: a tree with one test.

    The test has two branches. It shows which single test separates the rows best, and is the usual
    member of AdaBoost. ``task="regression"`` gives a stump that predicts a number.

    See Also
    --------
    DecisionTreeClassifier : a decision tree that predicts a class.
    DecisionTreeRegressor : a decision tree that predicts a number, or several.

    Examples
    --------
    >>> from branchline import load_dataset
    >>> from branchline.tree import Stump
    >>> X, y = load_dataset("iris").split_target("species")
    >>> print(Stump().fit(X, y).to_text())
    petal_width ≤ 0.8
      yes: setosa 100 % of 50
      no or missing: versicolor 50 % of 100
    """
    settings: dict[str, Any] = {"max_depth": 1, "prune": None}
    return _make(Stump, _tree_for(task, "Stump"), settings, parameters, task=task)
