"""Which cell of a grid is best."""

import numpy as np

from branchline.svm._grid_cells import GridCells
from branchline.svm._grid_kernels import settings_of


def test_on_ties_the_smallest_c_wins_and_then_gamma():
    scores = np.array([[0.5, 0.9, 0.9], [0.5, 0.9, 0.9]])
    gammas, strengths = np.array([0.1, 1.0]), np.array([1.0, 10.0, 100.0])
    settings = settings_of(("rbf",), gammas, 3, 0.0, [0.0])
    cells = GridCells(settings, strengths, scores[:, :, None], 10)
    assert (cells.best, cells.best_strength) == ((0, 1), 10.0)
    assert settings.own(cells.best[0]) == {"gamma": 0.1}
    scores[1, 0] = 0.9
    assert GridCells(settings, strengths, scores[:, :, None], 10).best == (1, 0)
