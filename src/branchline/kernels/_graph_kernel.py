"""Weisfeiler–Lehman: how alike two graphs are, by the labels of nodes and of what is around them.

A graph is a text: the labels of its nodes, ``|``, and its edges between places counted from 0. So
"C C O | 0-1 1-2" is a path of three nodes. Edges have no direction; "0-1:double" has a label.

1. The label of a node in round 0 is its own.
2. In each further round it becomes its label with the sorted labels of its edges and neighbors
   (Shervashidze et al., 2011): what is around it, one step further out.
3. K(x, z) = Σ over all rounds and labels of (count in x) · (count in z).

Counts are explicit features, so the kernel is positive semidefinite. Values are whole numbers and
exact. A missing graph has no nodes, and kernel 0.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import sparse

from branchline._arrays import Floats
from branchline._validation import Whole, check_parameters
from branchline.errors import DataError, Repair
from branchline.kernels._checks import check_columns
from branchline.kernels._points import StringPart
from branchline.kernels._string_kernel import StringKernel

__all__ = ["WeisfeilerLehman"]

_ROUNDS = {"n_rounds": Whole(0, 100)}


@dataclass(frozen=True, repr=False)
class WeisfeilerLehman(StringKernel):
    """How many nodes two graphs share, counted with what is around them (subtree patterns).

    A graph is a text such as "C C O | 0-1 1-2": the labels of its nodes, then its edges between
    nodes counted from 0; "0-1:double" is an edge with a label. Larger graphs have larger kernels:
    ``.normalized()`` takes the size out.

    Parameters
    ----------
    column
        The column of graphs; None (default): the only column of texts.
    n_rounds
        How far around a node to look; 0: labels only. Default 3.

    See Also
    --------
    Spectrum : how many substrings of length k two texts share.
    Kernel : a formula of two rows, by which they are compared.

    Examples
    --------
    >>> from branchline.kernels import WeisfeilerLehman
    >>> graphs = ["C C O | 0-1 1-2", "C O C | 0-1 1-2"]
    >>> WeisfeilerLehman(n_rounds=1).gram(graphs).tolist()
    [[8.0, 5.0], [5.0, 10.0]]
    """

    n_rounds: int = 3

    def __post_init__(self) -> None:
        check_columns(type(self).__name__, () if self.column is None else (self.column,))
        check_parameters(type(self).__name__, {"n_rounds": self.n_rounds}, _ROUNDS)
        object.__setattr__(self, "n_rounds", int(self.n_rounds))

    def _gram(self, a: StringPart, b: StringPart, n_threads: int) -> Floats:
        place_of_label: dict[Any, int] = {}
        first = self._counts(a.texts, place_of_label)
        second = first if b is a else self._counts(b.texts, place_of_label)
        first.resize((first.shape[0], len(place_of_label)))
        second.resize((second.shape[0], len(place_of_label)))
        return np.ascontiguousarray((first @ second.T).toarray())

    def _diag(self, a: StringPart) -> Floats:
        counts = self._counts(a.texts, {})
        squares: Floats = np.asarray(counts.multiply(counts).sum(axis=1), dtype=np.float64)
        return squares.reshape(-1)

    def _counts(self, texts: Sequence[bytes], place_of_label: dict[Any, int]) -> Any:
        """Return how often each graph has each label of any round, as a sparse matrix."""
        known: dict[bytes, Counter[int]] = {}
        values, columns, ends = [], [], [0]
        for text in texts:
            if text not in known:
                known[text] = self._labels(text, place_of_label)
            columns += list(known[text])
            values += list(known[text].values())
            ends.append(len(columns))
        shape = (len(texts), len(place_of_label))
        return sparse.csr_matrix((np.array(values, dtype=np.float64), columns, ends), shape=shape)

    def _labels(self, text: bytes, place_of_label: dict[Any, int]) -> Counter[int]:
        """Return the count of each label in all rounds; equal labels have equal places."""
        names, around = self._graph(text.decode("utf-8", "surrogatepass"))
        keys: list[Any] = [(0, name) for name in names]
        found: Counter[int] = Counter()
        for at in range(self.n_rounds + 1):
            now = [place_of_label.setdefault(key, len(place_of_label)) for key in keys]
            found.update(now)
            keys = [
                (at + 1, now[k], tuple(sorted((edge, now[other]) for edge, other in around[k])))
                for k in range(len(now))
            ]
        return found

    def _graph(self, text: str) -> tuple[list[str], list[list[tuple[str, int]]]]:
        """Return the labels of nodes, and the label and other end of each node's edges."""
        nodes, _, edges = text.partition("|")
        names = nodes.split()
        found: dict[tuple[int, int, str], None] = {}
        for edge in edges.split():
            ends, _, label = edge.partition(":")
            first, _, second = ends.partition("-")
            if not (_is_place(first, names) and _is_place(second, names)):
                raise self._no_graph(text, edge)
            low, high = sorted((int(first), int(second)))
            found[low, high, label] = None  # an edge that is named twice is one
        around: list[list[tuple[str, int]]] = [[] for _ in names]
        for low, high, label in found:
            around[low].append((label, high))
            if low != high:
                around[high].append((label, low))
        return names, around

    def _no_graph(self, text: str, edge: str) -> DataError:
        return DataError(
            f"WeisfeilerLehman reads graphs such as 'C C O | 0-1 1-2'. The edge {edge!r} of "
            f"{text[:80]!r} is not two places of nodes, counted from 0.",
            code="D654",
            column=self.column,
            values=[edge],
            repair=Repair("X = ['C C O | 0-1 1-2', 'C O C | 0-1 1-2']"),
        )


def _is_place(text: str, names: list[str]) -> bool:
    return text.isascii() and text.isdigit() and len(text) < 10 and int(text) < len(names)
