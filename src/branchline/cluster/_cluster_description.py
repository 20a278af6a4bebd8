"""What clusters are, in words, as a frame and as a chart; names are never invented."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from branchline._plain_numbers import count, fine_percent, joined, number
from branchline._plain_text import clean, shorten
from branchline._result_frame import Library, result_frame
from branchline.charts import Bar, Chart, Panels, bar_rows
from branchline.cluster._cluster_rules import ClusterRule
from branchline.cluster._column_effects import ColumnEffect

__all__ = ["ClusterDescription", "ClusterDescriptions"]

_MOST_CHARTS = 12
_LONGEST_NAME = 40
_ROOM = 0.03


@dataclass(frozen=True, eq=False)
class ClusterDescription:
    """What one cluster is.

    Parameters
    ----------
    label
        The label that the clustering gave.
    weight, share
        The weight of its rows (their number without weights), and its share of all rows.
    rule
        A short rule; None where no column tells the cluster from the others.
    effects
        The columns that differ most, the strongest first.
    typical
        The places of its most typical rows among the rows that were given.
    rows
        The cells of these rows.
    names
        The names of these rows, where rows have names.

    See Also
    --------
    ClusterDescriptions : what each cluster is.
    describe_clusters : say what each cluster is.

    Examples
    --------
    >>> from branchline import load_dataset
    >>> from branchline.cluster import KMeans, describe_clusters
    >>> X, _ = load_dataset("iris").split_target("species")
    >>> round(describe_clusters(X, KMeans(3).fit(X))[1].share, 2)
    0.33
    """

    label: Any
    weight: float
    share: float
    rule: ClusterRule | None
    effects: tuple[ColumnEffect, ...]
    typical: tuple[int, ...]
    rows: tuple[dict[str, Any], ...]
    names: tuple[str, ...] = ()

    @property
    def name(self) -> str:
        """The label with the word "cluster"."""
        return clean(f"cluster {self.label}")

    def __str__(self) -> str:
        lines = [f"{self.name}: {count(self.weight, 'row')} ({fine_percent(self.share)})"]
        if self.rule is not None:
            lines.append(f"  rule: {self.rule}")
        lines += [f"  {'differs by: ' if not at else ' ' * 12}{one}"
                  for at, one in enumerate(self.effects)]  # fmt: skip
        lines.append(f"  most typical: {self.typical_text}")
        return "\n".join(lines)

    @property
    def typical_text(self) -> str:
        """The most typical rows: their names, or their places."""
        if self.names:
            return "; ".join(shorten(clean(name), _LONGEST_NAME) for name in self.names)
        return f"row {joined([str(place) for place in self.typical])}"

    def to_dict(self) -> dict[str, Any]:
        """Return the description as plain values."""
        return {
            "label": self.label,
            "weight": self.weight,
            "share": self.share,
            "rule": None if self.rule is None else self.rule.to_dict(),
            "effects": [one.to_dict() for one in self.effects],
            "typical_rows": list(self.typical),
            "typical_names": list(self.names),
            "cells": [dict(row) for row in self.rows],
        }


@dataclass(frozen=True, eq=False)
class ClusterDescriptions:
    """What each cluster is.

    Parameters
    ----------
    clusters
        A description of each cluster, in the order of the labels.
    n_rows
        Number of rows of the table.
    n_looked_at
        Number of rows that rules were found on.

    See Also
    --------
    describe_clusters : say what each cluster is.

    Examples
    --------
    >>> from branchline import load_dataset
    >>> from branchline.cluster import KMeans, describe_clusters
    >>> X, _ = load_dataset("iris").split_target("species")
    >>> len(describe_clusters(X, KMeans(3).fit(X)).clusters)
    3
    """

    clusters: tuple[ClusterDescription, ...]
    n_rows: int
    n_looked_at: int

    def __len__(self) -> int:
        return len(self.clusters)

    def __iter__(self) -> Iterator[ClusterDescription]:
        return iter(self.clusters)

    def __getitem__(self, place: int) -> ClusterDescription:
        return self.clusters[place]

    def __str__(self) -> str:
        lines = [str(one) for one in self.clusters]
        if self.n_looked_at < self.n_rows:
            lines.append(f"Rules were found on {self.n_looked_at:,} of {self.n_rows:,} rows.")
        return "\n".join(lines)

    def to_frame(self, library: Library = "pandas") -> Any:
        """Return a row for each cluster and column that differs."""
        pairs = [(one, effect) for one in self.clusters for effect in one.effects]
        columns: dict[str, Any] = {"cluster": [one.label for one, _ in pairs]}
        columns["rule"] = [None if one.rule is None else one.rule.text for one, _ in pairs]
        for name in ("precision", "recall"):
            columns[name] = [
                np.nan if one.rule is None else getattr(one.rule, name).estimate for one, _ in pairs
            ]
        columns["column"] = [effect.name for _, effect in pairs]
        for name in ("inside", "outside", "effect", "low", "high"):
            columns[name] = [getattr(effect, name) for _, effect in pairs]
        return result_frame(columns, library)

    def to_dict(self) -> dict[str, Any]:
        """Return everything as plain values."""
        return {
            "n_rows": self.n_rows,
            "n_looked_at": self.n_looked_at,
            "clusters": [one.to_dict() for one in self.clusters],
        }

    def draw(self) -> Panels:
        """Return for each cluster the columns that differ most."""
        shown = [one for one in self.clusters if one.effects][:_MOST_CHARTS]
        n_more = len(self.clusters) - len(shown)
        note = "Difference from the other rows in standard deviations, with 95 % intervals."
        if n_more:
            note += f" {count(n_more, 'cluster')} not shown."
        ends = _ends([effect for one in shown for effect in one.effects])
        charts = tuple(_chart(one, ends) for one in shown)
        return Panels(charts, 2, "What clusters are", note)


def _ends(effects: list[ColumnEffect]) -> tuple[float, float]:
    """Return the ends of an axis for all clusters: bars of one length are equally large."""
    values = [0.0, *(one.effect for one in effects)]
    values += [end for one in effects for end in (one.low, one.high) if np.isfinite(end)]
    room = _ROOM * (max(values) - min(values))
    return min(values) - room * (min(values) < 0), max(values) + room * (max(values) > 0)


def _chart(one: ClusterDescription, ends: tuple[float, float]) -> Chart:
    bars = [
        Bar(effect.name, effect.effect, number(effect.effect, 2), effect.low, effect.high)
        for effect in one.effects
    ]
    title = f"{one.name}: {count(one.weight, 'row')}"
    note = one.rule.text if one.rule else ""
    chart = bar_rows(bars, "standard deviations", title, note=note)
    return replace(chart, x=replace(chart.x, ends=ends))
