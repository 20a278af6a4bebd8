"""What a report says of rows without a target."""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from branchline.assess import compare
from branchline.report import write_report
from branchline.semi import LabelSpreading


@pytest.mark.filterwarnings("ignore::branchline.errors.BranchlineWarning")
def test_the_verdict_has_a_section(tmp_path: Path) -> None:
    rng = np.random.default_rng(0)
    names = np.repeat(np.array(["a", "b", "a", "b"], dtype=object), [20, 20, 60, 60])
    frame = pd.DataFrame({"u": rng.normal(size=160) + 3.0 * (names == "b")})
    names[40:] = None
    found = compare(frame.assign(kind=names), "kind", learners=[LabelSpreading()], n_folds=3)
    for ending in ("md", "html"):
        path = tmp_path / f"report.{ending}"
        write_report(found, path)
        text = path.read_text()
        assert "Did rows without a target help?" in text
        assert found.unlabeled[0].verdict in text
