"""Model files that version 0.1 wrote load, and predict what they predicted then."""

import json
from pathlib import Path

import numpy as np
import pytest

import branchline as bl

FOLDER = Path(__file__).parent / "models_0_1"
PREDICTIONS = json.loads((FOLDER / "predictions.json").read_text(encoding="utf-8"))
TABLES = {"classification": ("heart", "disease"), "regression": ("auto-mpg", "mpg")}


@pytest.mark.parametrize("name", sorted(PREDICTIONS))
def test_a_model_of_version_0_1_predicts_as_then(name):
    table, target = TABLES[name.split("-")[0]]
    X = bl.load_dataset(table).split_target(target)[0].rows(np.arange(40))
    found = bl.load(FOLDER / f"{name}.branchline").predict(X)
    expected = np.array(PREDICTIONS[name])
    if expected.dtype.kind == "f":
        np.testing.assert_allclose(found, expected, rtol=1e-9)
    else:
        assert found.tolist() == expected.tolist()
