"""What is told of a fit on a cluster."""

import pytest

from branchline.errors import ClusterError
from branchline.scale import Progress, Traffic
from branchline.scale._checkpoints import Checkpoints
from branchline.scale._makers import with_kept


@pytest.mark.parametrize(
    ("progress", "text"),
    [
        (
            Progress(40, 500, 12_345_678.0, 250.0, Traffic()),
            "40 of 500 rounds, 12,300,000 rows per second, about 4.2 min left",
        ),
        (
            Progress(1, None, 250.4, None, Traffic(), "tree"),
            "1 tree, 250 rows per second",
        ),
        (
            Progress(7, 7, 1e6, 0.0, Traffic(), "tree"),
            "7 of 7 trees, 1,000,000 rows per second",
        ),
    ],
)
def test_progress_is_a_line_for_people(progress: Progress, text: str) -> None:
    assert str(progress) == text


def test_an_error_says_what_is_kept(tmp_path: object) -> None:
    problem = ClusterError("No worker.", code="X012")
    assert "Nothing of this fit is kept" in with_kept(problem, None).message
    kept = Checkpoints(str(tmp_path), 10, resume=False)
    kept.n_kept = 30
    assert f"30 rounds or trees are kept in {tmp_path}" in with_kept(problem, kept).message
    other = ClusterError("Other trees.", code="X016")
    assert with_kept(other, kept) is other
