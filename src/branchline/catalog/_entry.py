"""What the catalog says of one learner: data, and nothing that imports the learner.

Classes are named by dotted strings, so that the whole catalog can be read, searched and printed
without loading NumPy; a learner's room is imported when it is made.
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from importlib import import_module
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

from branchline.catalog._spaces import USUAL_DRAWS, Space, count_candidates, is_endless

if TYPE_CHECKING:
    from branchline._base import Complexity

__all__ = ["HANDLES", "SIZES", "TASKS", "Cost", "Entry", "Plusses", "Reference", "Size", "Task"]

Task: TypeAlias = Literal["classification", "regression"]
Size: TypeAlias = Literal["small", "medium", "large"]
TASKS: tuple[Task, ...] = ("classification", "regression")
SIZES: tuple[Size, ...] = ("small", "medium", "large")

# Every learner takes any table; these are what some do by themselves and others do not.
HANDLES: dict[str, str] = {
    "categories": "uses categories as they are, without indicators",
    "missing": "uses missing cells as they are, without filling them",
    "sparse": "works on sparse matrices without making them dense",
    "weights": "takes sample_weight",
    "probabilities": "gives probabilities of classes",
    "incremental": "learns from more rows later (partial_fit)",
    "several_outputs": "predicts several numbers at once",
    "unlabeled": "learns from rows without a target, too",
}


@dataclass(frozen=True)
class Reference:
    """Where a method was first or best described.

    See Also
    --------
    Entry : one learner of the catalog.

    Examples
    --------
    >>> from branchline import catalog
    >>> catalog.entry("C4.5").reference.year
    1993
    """

    author: str
    title: str
    year: int

    def __str__(self) -> str:
        return f"{self.author} ({self.year}). {self.title}."


@dataclass(frozen=True)
class Plusses:
    """The textbook's marks, 1 to 4, for a family; measured figures are better where there are any.

    Parameters
    ----------
    accuracy
        How good its predictions usually are.
    efficiency
        How little time it takes.
    interpretability
        How well a person can read the model.
    ease
        How little must be set by hand.

    See Also
    --------
    Entry : one learner of the catalog.

    Examples
    --------
    >>> from branchline import catalog
    >>> catalog.entry("tree").plusses.interpretability
    3
    """

    accuracy: int
    efficiency: int
    interpretability: int
    ease: int


@dataclass(frozen=True)
class Cost:
    """How long a fit takes on one core: start + factor · rows^p · columns^q · classes^r seconds.

    Parameters
    ----------
    start
        Seconds that any fit takes.
    factor
        Seconds for one row, one column and one class.
    rows, columns, classes
        The powers p, q and r.

    See Also
    --------
    entry : return what the catalog says of the learner called ``name``.
    Entry : one learner of the catalog.

    Examples
    --------
    >>> from branchline.catalog import Cost
    >>> round(Cost(0.5, 0.25, rows=1.0, columns=1.0).estimate(100, 10), 1)
    250.5
    """

    start: float
    factor: float
    rows: float
    columns: float
    classes: float = 0.0

    def estimate(self, n_rows: int, n_columns: int, n_classes: int = 2) -> float:
        """Return the seconds a fit will take, roughly; for regression classes do not matter."""
        sizes = ((n_rows, self.rows), (n_columns, self.columns), (n_classes, self.classes))
        logarithm = sum(power * math.log(max(size, 1)) for size, power in sizes)
        return self.start + self.factor * math.exp(min(logarithm, 600.0))


@dataclass(frozen=True, eq=False)
class Entry:
    """One learner of the catalog.

    Parameters
    ----------
    name
        The short name that ``make`` takes.
    title
        The name people use.
    family
        What it is a kind of: "tree", "linear", "ensemble" and so on.
    classes
        For each task it has, the class or function that makes it, as "branchline.room.Name".
    handles
        What it does by itself; ``HANDLES`` says what each word means.
    description
        One paragraph in plain words: what it does, when to use it, when not.
    reference
        Where to read more.
    spaces
        For each task, the values worth trying: "small", "medium" and "large".
    costs
        For each task, how long a fit takes.
    parameters
        For each task, parameters that make this learner of its class.
    aliases
        Other names that ``make`` understands.
    plusses
        The textbook's marks, where it has a row for this kind of learner; it has six: nearest
        neighbors, trees, linear models, ensembles, networks, support vector machines.
    most_classes
        How many classes it can tell apart; None: any number.

    See Also
    --------
    entry : return what the catalog says of the learner called ``name``.

    Examples
    --------
    >>> from branchline import catalog
    >>> len(catalog.entry("tree").classes)
    2
    """

    name: str
    title: str
    family: str
    classes: Mapping[Task, str]
    handles: frozenset[str]
    description: str
    reference: Reference
    spaces: Mapping[Task, Mapping[Size, Space]]
    costs: Mapping[Task, Cost] = field(default_factory=dict)
    parameters: Mapping[Task, Mapping[str, Any]] = field(default_factory=dict)
    aliases: tuple[str, ...] = ()
    plusses: Plusses | None = None
    most_classes: int | None = None

    @property
    def tasks(self) -> tuple[Task, ...]:
        """The tasks it can do."""
        return tuple(task for task in TASKS if task in self.classes)

    def count_candidates(self, task: Task, size: Size) -> int:
        """Return how many candidates a search of a space tries."""
        space = self.spaces[task][size]
        return USUAL_DRAWS[size] if is_endless(space) else count_candidates(space)

    def maker(self, task: Task) -> Any:
        """Import and return the class or function that makes it for a task."""
        room, _, name = self.classes[task].rpartition(".")
        return getattr(import_module(room), name)

    def estimate(self, n_rows: int, n_columns: int, n_classes: int = 2, *, task: Task) -> float:
        """Return the seconds a fit will take on one core, roughly."""
        return self.costs[task].estimate(n_rows, n_columns, n_classes)

    def interpretability(self, model: Any) -> "Complexity":
        """Return how much there is to read in a fitted model: its leaves, weights or rows."""
        found: Complexity = model.complexity()
        return found
