"""From a file to a file of predictions: what predicting all rows at once gives."""

import gzip
import json
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

from branchline import read_table
from branchline.errors import BranchlineError, ParameterError
from branchline.forest import RandomForestClassifier, RandomForestRegressor
from branchline.linear import LinearRegression
from branchline.scale import _predict_file, predict_file, write_frames

N = 1200


@pytest.fixture(autouse=True)
def small_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_predict_file, "_CELLS", 1500)


@pytest.fixture
def rows(tmp_path: Path) -> Path:
    rng = np.random.default_rng(0)
    path = tmp_path / "rows.csv"
    x, town = rng.normal(size=N), rng.integers(0, 4, N)
    lines = (
        f'"r, {i}",{x[i]:.4f},{"" if i < 400 else town[i]},t{town[i]},${i % 50},{x[i] + town[i]}'
        for i in range(N)
    )
    path.write_text("id,x,code,town,price,y\n" + "\n".join(lines) + "\n")
    return path


def model_of(rows: Path, target: str, kind: Any = None) -> Any:
    table = read_table(rows)
    X, y = table.drop([target, "id"]), table.column(target).to_numpy()
    kind = kind or (RandomForestClassifier if target == "town" else RandomForestRegressor)
    if kind is LinearRegression:
        return kind().fit(X, y)
    return kind(n_estimators=4, random_state=0).fit(X, y)


@pytest.mark.parametrize("ending", [".csv", ".csv.gz", ".json", ".parquet"])
@pytest.mark.parametrize("target", ["town", "y"])
def test_same_file(target: str, ending: str, rows: Path, tmp_path: Path) -> None:
    model, table = model_of(rows, target), read_table(rows)
    output = tmp_path / f"found{ending}"
    is_class = target == "town"
    n_rows = predict_file(model, rows, output, copy=["id", "code"], probabilities=is_class)
    assert n_rows == N
    X = table.drop([target, "id"])
    columns = {name: table.column(name).to_list() for name in ("id", "code")}
    columns["prediction"] = model.predict(X).tolist()
    if is_class:
        given = model.predict_proba(X)
        columns |= {f"probability of t{k}": given[:, k].tolist() for k in range(4)}
    whole = tmp_path / f"whole{ending}"
    write_frames([pl.DataFrame(columns)], str(whole))
    if ending == ".parquet":
        assert pl.read_parquet(output).equals(pl.read_parquet(whole))
    else:
        unpack = gzip.decompress if ending == ".csv.gz" else bytes
        assert unpack(output.read_bytes()) == unpack(whole.read_bytes())
    assert sorted(entry.name for entry in tmp_path.iterdir()) == sorted(
        ["rows.csv", output.name, whole.name]
    )


def test_linear_models_and_parquet(rows: Path, tmp_path: Path) -> None:
    model, table = model_of(rows, "y", LinearRegression), read_table(rows)
    source = tmp_path / "rows.parquet"
    table.to_polars().write_parquet(source)
    predict_file(model, source, tmp_path / "found.csv")
    found = pl.read_csv(tmp_path / "found.csv")["prediction"].to_numpy()
    np.testing.assert_allclose(found, model.predict(table.drop(["y", "id"])), rtol=1e-12)


def test_names_read_as_the_model_knows_them(tmp_path: Path) -> None:
    path = tmp_path / "rows.csv"
    path.write_text("zip,y\n" + "".join(f"0{i % 5},{i % 5}\n" for i in range(300)))
    table = read_table(path, kinds={"zip": "category"})
    X, y = table.split_target("y")
    model = RandomForestRegressor(n_estimators=3, random_state=0).fit(X, y)
    predict_file(model, path, tmp_path / "found.csv")
    found = pl.read_csv(tmp_path / "found.csv")["prediction"].to_list()
    assert found == model.predict(X).tolist()


class Broken:
    """A model that fails in the third part."""

    def __init__(self, model: Any) -> None:
        self.model, self.schema_, self.n_calls = model, model.schema_, 0

    def predict(self, X: Any) -> Any:
        self.n_calls += 1
        if self.n_calls == 3:
            raise KeyboardInterrupt
        return self.model.predict(X)


@pytest.mark.parametrize("ending", [".csv", ".json", ".parquet"])
def test_interrupted_run_leaves_nothing(ending: str, rows: Path, tmp_path: Path) -> None:
    output = tmp_path / f"found{ending}"
    output.write_text("what was there")
    with pytest.raises(KeyboardInterrupt):
        predict_file(Broken(model_of(rows, "y")), rows, output)
    assert output.read_text() == "what was there"
    assert sorted(entry.name for entry in tmp_path.iterdir()) == sorted(["rows.csv", output.name])


def test_no_rows(rows: Path, tmp_path: Path) -> None:
    empty = tmp_path / "empty.csv"
    empty.write_text(rows.read_text().split("\n")[0] + "\n")
    for ending in (".csv", ".json", ".parquet"):
        assert predict_file(model_of(rows, "y"), empty, tmp_path / f"found{ending}") == 0
    assert (tmp_path / "found.csv").read_text() == "prediction\n"
    assert json.loads((tmp_path / "found.json").read_text()) == []


def test_progress(rows: Path, tmp_path: Path) -> None:
    told: list[tuple[int, int]] = []
    model = model_of(rows, "y")
    predict_file(model, rows, tmp_path / "o.csv", on_progress=lambda *given: told.append(given))
    assert [done for done, _ in told][-1] == N
    assert len(told) > 3


def test_refusals(rows: Path, tmp_path: Path) -> None:
    model = model_of(rows, "y")
    with pytest.raises(ParameterError) as caught:
        predict_file(model, rows, tmp_path / "found.xyz")
    assert caught.value.code == "P107"
    with pytest.raises(ParameterError) as caught:
        predict_file(model, rows, tmp_path / "found.csv", probabilities=True)
    assert caught.value.code == "K020"
    with pytest.raises(BranchlineError) as failed:
        predict_file(model, rows, tmp_path / "found.csv", copy="nothing")
    assert failed.value.code == "D003"
    lacking = tmp_path / "lacking.csv"
    pl.read_csv(rows).drop("x").write_csv(lacking)
    with pytest.raises(BranchlineError) as failed:
        predict_file(model, lacking, tmp_path / "found.csv")
    assert failed.value.code == "D011"
    assert not (tmp_path / "found.csv").exists()
