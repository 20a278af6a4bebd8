"""What ``find_groups`` found: whether there are groups, what they are, whether they come back."""

from dataclasses import dataclass
from typing import Any

from branchline._arrays import Places
from branchline._plain_numbers import count, fine_percent
from branchline._plain_text import clean, shorten
from branchline.charts import Panels
from branchline.cluster._adjusted_rand import Agreement
from branchline.cluster._cluster_description import ClusterDescriptions
from branchline.cluster._group_counts import GroupCounts
from branchline.cluster._stability_of_model import FEW_ROWS, ClusterStability

__all__ = ["Groups", "KnownClasses"]

_LONGEST = 24
_MOST_CLASSES = 10


@dataclass(frozen=True, eq=False)
class KnownClasses:
    """A known class beside the clusters; it took no part in finding them.

    Parameters
    ----------
    name
        The name of the class.
    agreement
        The adjusted Rand index: 1 where clusters and classes are the same, 0 on average by chance.
    classes, counts
        The classes, and for each cluster how many of its rows are in each class.

    See Also
    --------
    find_groups
    adjusted_rand : return how far two clusterings of the same rows agree, beyond chance.

    Examples
    --------
    >>> from branchline import load_dataset
    >>> from branchline.cluster import find_groups
    >>> X, y = load_dataset("iris").split_target("species")
    >>> find_groups(X, 3, known=y).known.counts[0]
    (0, 39, 14)
    """

    name: str
    agreement: Agreement
    classes: tuple[str, ...]
    counts: tuple[tuple[int, ...], ...]

    def __str__(self) -> str:
        name = clean(self.name)
        line = (
            f"Agreement with {name}, which was left out: adjusted Rand index {self.agreement} "
            "(1: the same; 0: chance)."
        )
        if len(self.classes) > _MOST_CLASSES:
            return f"{line} {name} has {count(len(self.classes), 'value')}."
        columns = [
            [shorten(clean(each), _LONGEST), *(f"{row[at]:,}" for row in self.counts)]
            for at, each in enumerate(self.classes)
        ]
        widths = [max(map(len, column)) for column in columns]
        firsts = ["", *(f"cluster {at}" for at in range(len(self.counts)))]
        lines = [
            "  ".join([f"  {first:<10}", *map(str.rjust, cells, widths)])
            for first, *cells in zip(firsts, *columns, strict=True)
        ]
        return "\n".join([line, *lines])

    def to_dict(self) -> dict[str, Any]:
        """Return everything as plain values."""
        found = self.agreement
        rand = {"value": found.value, "low": found.low, "high": found.high}
        return {"name": self.name, "adjusted_rand": rand, "classes": list(self.classes),
                "counts": [list(row) for row in self.counts]}  # fmt: skip


@dataclass(frozen=True, eq=False)
class Groups:
    """Whether a table has groups, how many, what each is, and whether they come back.

    Parameters
    ----------
    counts
        How many groups there are, by each rule.
    model
        The fitted clustering; it places new rows.
    labels
        The cluster of each row; 0 is the largest.
    clusters
        What each cluster is; None where all rows are in one.
    stability
        Whether clusters come back; None where all rows are in one.
    known
        The known class, where one was given.
    n_asked
        The number of clusters that was asked for; None: as many as there are groups.

    See Also
    --------
    find_groups

    Examples
    --------
    >>> from branchline import load_dataset
    >>> from branchline.cluster import find_groups
    >>> X, _ = load_dataset("iris").split_target("species")
    >>> find_groups(X, 3).n_clusters
    3
    """

    counts: GroupCounts
    model: Any
    labels: Places
    clusters: ClusterDescriptions | None
    stability: ClusterStability | None
    known: KnownClasses | None = None
    n_asked: int | None = None

    @property
    def n_clusters(self) -> int:
        """The number of clusters."""
        return int(self.labels.max()) + 1

    @property
    def are_groups(self) -> bool:
        """Whether there is more than one group, and as many as there are clusters."""
        return not self.counts.is_one and self.n_clusters == self.counts.n_groups

    def caution(self) -> str:
        """Return what must be known about the number of clusters; empty where it was found."""
        if self.n_clusters == 1:
            return "All rows are in one cluster, so there is nothing to tell apart."
        if self.counts.is_one:
            return (
                f"The {self.n_clusters} clusters below divide the rows because that was asked for. "
                "They are parts of one group, not groups of their own."
            )
        if not self.are_groups:
            groups = count(self.counts.n_groups, "group")
            return f"{self.n_clusters} clusters are shown because that was asked for, not {groups}."
        return ""

    def __str__(self) -> str:
        parts = [self.counts.verdict(), self.caution()]
        parts.append("" if self.stability is None else self.stability.verdict())
        if self.clusters is not None:
            parts += ["", *map(self._cluster, self.clusters)]
            if self.clusters.n_looked_at < self.clusters.n_rows:
                parts.append(f"Rules were found on {self.clusters.n_looked_at:,} of "
                             f"{self.clusters.n_rows:,} rows.")  # fmt: skip
        parts += ["", str(self.known)] if self.known is not None else []
        text = "\n".join(part for at, part in enumerate(parts) if part or at > 2)
        return text.strip("\n")

    def _cluster(self, one: Any) -> str:
        """Return what a cluster is, with its stability in the first line."""
        first, rest = str(one).split("\n", 1)
        found = {each.label: each for each in (self.stability.clusters if self.stability else ())}
        again = found.get(one.label) if len(self.labels) >= FEW_ROWS else None
        return f"{first}{'' if again is None else f', {again}'}\n{rest}"

    def to_dict(self) -> dict[str, Any]:
        """Return everything as plain values, but for the model."""
        return {
            "n_clusters": self.n_clusters,
            "n_asked": self.n_asked,
            "are_groups": self.are_groups,
            "caution": self.caution() or None,
            "sizes": [int((self.labels == k).sum()) for k in range(self.n_clusters)],
            "how_many": self.counts.to_dict(),
            "stability": None if self.stability is None else self.stability.to_dict(),
            "clusters": None if self.clusters is None else self.clusters.to_dict()["clusters"],
            "known": None if self.known is None else self.known.to_dict(),
        }

    def sizes(self) -> list[tuple[int, int, str]]:
        """Return the label, the number of rows and the share of each cluster."""
        n_of = [int((self.labels == k).sum()) for k in range(self.n_clusters)]
        return [(k, n, fine_percent(n / len(self.labels))) for k, n in enumerate(n_of)]

    def draw(self) -> Panels:
        """Return what the clusters are, or, where there is one group, how that was found."""
        return self.counts.draw() if self.clusters is None else self.clusters.draw()
