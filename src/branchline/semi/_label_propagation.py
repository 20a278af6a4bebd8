"""Label propagation: every unlabeled row is the mean of its neighbors (the harmonic solution).

1. A sparse graph links each row with its nearest neighbors (``_row_graph``).
2. With w_ij the weight of a link, m the mass of equal rows and f_i the class shares of row i, the
   labels minimize Σ_ij m_i m_j w_ij ‖f_i − f_j‖² while labeled rows keep their label. So each
   unlabeled row is the mean of its neighbors: f_i = Σ_j m_j w_ij f_j / Σ_j m_j w_ij.
3. This is where repeated propagation ends; here its equations are solved at once
   (``_sparse_equations``).
4. With class_mass="labels", shares are scaled so that classes are as frequent among unlabeled rows
   as among labels.

X. Zhu, Z. Ghahramani and J. Lafferty, Semi-supervised learning using Gaussian fields and harmonic
functions, 2003.
"""

from typing import Any, ClassVar

import numpy as np
from scipy import sparse

from branchline._arrays import Bools, Floats
from branchline._sparse_equations import solve_sparse
from branchline._validation import Constraint, OneOf
from branchline.semi._graph_classifier import GraphClassifier, class_mass

__all__ = ["LabelPropagation"]


class LabelPropagation(GraphClassifier):
    """Spread a few labels over a table: each unlabeled row is the mean of its neighbors.

    Use it when few rows have a label and near rows are mostly of one class. It takes any table:
    numbers and categories may be mixed, and cells may be missing. Labels that were given are never
    changed; if some may be wrong, use ``LabelSpreading``. Rows whose target is missing are
    unlabeled.

    It does not help when classes overlap, or when near rows differ for reasons that the columns do
    not show: let ``compare`` say whether the unlabeled rows helped.

    Parameters
    ----------
    n_neighbors
        Number of nearest rows that each row is linked with. Larger values smooth more. Default 7.
    metric
        How rows are compared, as in ``cluster.distances``. Default "auto".
    standardize
        Whether numbers are divided by their standard deviation; default only with "auto". False
        suits columns of one unit, such as pixels.
    class_mass
        None (default), or "labels": classes are made as frequent among unlabeled rows as they are
        among labels. Use it when labels were drawn at random and are not too few.
    n_jobs
        Number of threads; None (default): all cores. Results do not depend on it.

    Attributes
    ----------
    classes_
        The classes, sorted.
    transduction_
        The class of each row that ``fit`` was given. A loaded model has none.
    label_distributions_
        The share of each class in each of these rows, likewise.
    n_linked_
        How many parts of the graph had no label and were linked with the nearest part that has.

    See Also
    --------
    LabelSpreading : labels may be wrong.
    SelfTraining

    Examples
    --------
    >>> from branchline import load_dataset
    >>> from branchline.semi import LabelPropagation
    >>> X, y = load_dataset("iris").split_target("species")
    >>> few = [name if row % 25 == 0 else None for row, name in enumerate(y)]
    >>> model = LabelPropagation().fit(X, few)  # six rows have a label
    >>> round(float((model.transduction_ == y).mean()), 3)
    0.853
    """

    _constraints: ClassVar[dict[str, Constraint]] = {
        **GraphClassifier._constraints,
        "class_mass": OneOf((None, "labels")),
    }

    def __init__(
        self,
        n_neighbors: int = 7,
        *,
        metric: str = "auto",
        standardize: bool | str = "auto",
        class_mass: str | None = None,
        n_jobs: int | None = None,
    ) -> None:
        self.n_neighbors = n_neighbors
        self.metric = metric
        self.standardize = standardize
        self.class_mass = class_mass
        self.n_jobs = n_jobs

    def _spread(self, graph: Any, mass: Floats, known: Floats) -> Floats:
        is_labeled: Bools = np.asarray(known.any(axis=1))
        free, fixed = np.flatnonzero(~is_labeled), np.flatnonzero(is_labeled)
        shares = known.copy()
        if len(free) == 0:
            return shares
        weighted = sparse.diags_array(mass) @ graph @ sparse.diags_array(mass)
        flow = weighted.tocsr()[free]
        degrees = np.asarray(flow.sum(axis=1)).ravel()
        equations = sparse.diags_array(degrees) - flow[:, free]
        shares[free] = solve_sparse(equations.tocsr(), np.asarray(flow[:, fixed] @ known[fixed]))
        if self.class_mass is None:
            return shares
        return class_mass(np.maximum(shares, 0.0), is_labeled, known, mass)
