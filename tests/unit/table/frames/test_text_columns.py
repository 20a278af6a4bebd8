"""Text columns of frames are read as those of files are, and remembered for predictions."""

import io
import time
import warnings
from datetime import date, timedelta

import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn.model_selection import cross_val_score

from branchline import Table, compare, load, look, read_table
from branchline.errors import BranchlineWarning, KindError
from branchline.table import as_table
from branchline.tree import DecisionTreeClassifier

N = 120
RNG = np.random.default_rng(3)
DAYS = [date(2024, 1, 1) + timedelta(int(day)) for day in RNG.integers(0, 400, N)]
CELLS = {
    "income": [f"${amount:,}" for amount in RNG.integers(500, 9000, N)],
    "discount": [f"{share:.1f}%" for share in RNG.uniform(0, 40, N)],
    "signup": [f"{day:%d/%m/%Y}" for day in DAYS],
    "call": [f"{minutes // 60}h {minutes % 60}m" for minutes in RNG.integers(0, 500, N)],
    "member": RNG.choice(["yes", "Y", "no", "No"], N).tolist(),
    "region": RNG.choice(["north", "south"], N).tolist(),
    "code": RNG.choice(["1", "2", "3"], N).tolist(),
}
WRITTEN = {
    "income": "number:. $",
    "discount": "number:. %",
    "signup": "date:%d/%m/%Y",
    "call": "duration",
    "member": "boolean",
    "region": None,
    "code": None,
}
CONTAINERS = {
    "pandas": pd.DataFrame,
    "pandas objects": lambda cells: pd.DataFrame(cells).astype(object),
    "polars": pl.DataFrame,
    "Arrow": lambda cells: pl.DataFrame(cells).to_arrow(),
    "dictionary": dict,
    "records": lambda cells: pd.DataFrame(cells).to_dict("records"),
}


def csv(cells):
    return io.StringIO(pd.DataFrame(cells).to_csv(index=False))


def written(table):
    return {field.name: field.type.written for field in table.schema}


@pytest.mark.parametrize("container", CONTAINERS)
def test_texts_are_converted_as_in_files(container):
    table = Table(CONTAINERS[container](CELLS))
    assert written(table) == WRITTEN
    of_file = read_table(csv(CELLS), kinds={"code": "category"})
    for name in CELLS:
        assert table[name].to_list() == of_file[name].to_list()
        assert table[name].type == of_file[name].type


@pytest.mark.parametrize(
    "frame",
    [
        pd.DataFrame(CELLS).astype("category"),
        pl.DataFrame(CELLS).cast(pl.Categorical),
        pl.DataFrame(CELLS).select(pl.col("income").cast(pl.Enum(sorted(set(CELLS["income"]))))),
    ],
)
def test_declared_categories_stay_categories(frame):
    assert {column.kind for column in Table(frame).columns} == {"category"}


def test_kinds_overrule_what_texts_show():
    frame = pd.DataFrame(CELLS)
    table = Table(frame, kinds={"income": "category", "code": "number"})
    assert table["income"].kind == "category"
    assert table["code"].kind == "numeric"


def test_ambiguous_dates_are_asked_back_with_two_repairs_that_run():
    frame = pd.DataFrame({"day": ["01/02/2024", "03/04/2024"], "x": [1, 2]})
    with pytest.raises(KindError) as caught:
        Table(frame)
    assert caught.value.code == "K102"
    scope = {"X": frame}
    exec(caught.value.repair.python, scope)
    assert scope["table"]["day"].to_list() == [date(2024, 2, 1), date(2024, 4, 3)]
    assert "date:%m/%d/%Y" in caught.value.repair.python
    assert {note.topic for note in look(frame)["day"].notes} >= {"ambiguous"}


def test_plain_numbers_as_text_stay_names_unless_a_mark_is_among_them():
    texts = [str(value) for value in range(30)]
    assert as_table({"x": texts})["x"].kind == "category"
    assert as_table({"x": [*texts, "nan"]})["x"].kind == "category"  # of astype(str)
    with pytest.warns(BranchlineWarning, match="'-' .1 cell. counts as missing"):
        table = as_table({"x": [*texts, "-"]})
    assert table["x"].kind == "numeric"
    assert table["x"].type.marks == ("-",)


# -- predictions ----------------------------------------------------------------------------------

TARGET = np.where([int(text[1:].replace(",", "")) > 4000 for text in CELLS["income"]], "a", "b")


@pytest.fixture(scope="module")
def model():
    return DecisionTreeClassifier().fit(pd.DataFrame(CELLS), TARGET)


def test_predictions_of_texts_and_of_numbers_agree(model, tmp_path):
    frame = pd.DataFrame(CELLS)
    found = model.predict_proba(frame)
    assert (model.predict(frame) == TARGET).all()
    plain = Table(frame).to_pandas()
    assert plain["income"].dtype.kind in "if"
    np.testing.assert_array_equal(model.predict_proba(plain), found)
    of_plain = DecisionTreeClassifier().fit(plain, TARGET)
    np.testing.assert_array_equal(of_plain.predict_proba(frame), found)
    model.save(tmp_path / "m")
    np.testing.assert_array_equal(load(tmp_path / "m").predict_proba(frame), found)
    np.testing.assert_array_equal(model.predict_proba(frame[:1]), found[:1])


def test_a_single_row_is_read_as_the_schema_says(model):
    """05/06/2024 alone could be read in two ways; the model knows how it is written."""
    row = {**{name: values[0] for name, values in CELLS.items()}, "signup": "05/06/2024"}
    assert model.predict([row]).shape == (1,)
    assert model.explain(row).prediction in {"a", "b"}


def test_only_the_cells_that_cannot_be_read_are_blamed(model):
    frame = pd.DataFrame(CELLS)
    frame.loc[4, "income"] = "€500"
    frame.loc[5, "income"] = "n/a"
    with pytest.raises(KindError) as caught:
        model.predict(frame)
    error = caught.value
    assert (error.code, error.column, error.rows, error.values) == (
        "K001",
        "income",
        (4,),
        ("€500",),
    )
    assert error.repair.flag.startswith("--missing '€500'")
    scope = {"X": frame}
    exec(error.repair.python, scope)
    with pytest.warns(BranchlineWarning, match="'n/a' .1 cell. counts as missing"):
        assert len(model.predict(scope["X"])) == N


def test_cross_validation_of_scikit_learn_takes_frames_with_text():
    scores = cross_val_score(DecisionTreeClassifier(), pd.DataFrame(CELLS), TARGET, cv=4)
    assert scores.min() > 0.9


def test_compare_reads_a_frame_as_it_reads_the_file():
    cells = {**CELLS, "y": RNG.choice(["a", "b"], N)}
    found = [
        compare(data, "y", learners="tree", n_folds=3)
        for data in (pd.DataFrame(cells), read_table(csv(cells), kinds={"code": "category"}))
    ]
    assert found[0].problem.fingerprint == found[1].problem.fingerprint
    assert found[0].problem.set_aside == ()


def test_wide_frames_of_texts_cost_little():
    """Looking for amounts and dates takes a small part of what reading the frame takes."""
    names = [f"c{place}" for place in range(2000)]
    frame = pd.DataFrame({name: [f"{name}-{row % 7}/b" for row in range(200)] for name in names})
    start = time.process_time()
    Table(frame, kinds=dict.fromkeys(names, "category"))
    plain = time.process_time() - start
    start = time.process_time()
    Table(frame)
    assert time.process_time() - start < 3 * plain + 0.5


# -- cells that keep a column from being numbers ------------------------------------------------


def with_cells(cells):
    texts = [f"${amount:,}" for amount in range(1000, 1240)]
    for place, text in cells.items():
        texts[place] = text
    return texts


@pytest.mark.parametrize("read", [Table, lambda cells: read_table(csv(cells))])
def test_marks_beside_amounts_count_as_missing_with_a_warning(read):
    cells = {"income": with_cells({3: "-", 5: "-", 8: "none"}), "x": range(240)}
    with pytest.warns(BranchlineWarning) as told:
        table = read(cells)
    [warning] = [one.message for one in told]
    assert warning.code == "W020"
    assert warning.message == (
        "Column 'income': '-' (2 cells) and 'none' (1 cell) count as missing; all other cells are "
        "numbers."
    )
    assert warning.repair.flag == "--kind income=category keeps the texts"
    assert table["income"].kind == "numeric"
    assert np.flatnonzero(table["income"].is_missing).tolist() == [3, 5, 8]
    assert table["income"].type.marks == ("-", "none")


@pytest.mark.parametrize("origin", ["frame", "file"])
def test_other_texts_beside_amounts_are_named_with_a_repair_that_runs(origin):
    cells = {"income": with_cells({3: "free", 5: "free", 8: "-"}), "x": range(240)}
    X, path = pd.DataFrame(cells), csv(cells)
    with pytest.warns(BranchlineWarning) as told:
        table = Table(X) if origin == "frame" else read_table(path)
    [warning] = [one.message for one in told]
    assert warning.code == "W021"
    assert "237 of its 240 cells are numbers, but not 'free' (2 cells)" in warning.message
    assert warning.repair.flag.startswith("--missing free")
    assert table["income"].kind == "category"
    scope = {"X": X, "path": csv(cells)}
    with pytest.warns(BranchlineWarning, match="'-' .1 cell. counts"):
        exec(warning.repair.python, scope)
    assert scope["table"]["income"].is_missing.sum() == 3


def test_a_kind_that_is_asked_for_blames_only_the_odd_cells():
    cells = {"income": with_cells({3: "-", 5: "free"}), "x": range(240)}
    with pytest.raises(KindError) as caught:
        read_table(csv(cells), kinds={"income": "number"})
    error = caught.value
    assert (error.code, error.rows, error.values) == ("K002", (5,), ("free",))
    assert error.repair.flag.startswith("--missing free if they mean missing")
    with pytest.warns(BranchlineWarning, match="'-' .1 cell. counts"):
        table = read_table(csv(cells), kinds={"income": "number"}, missing=["", "free"])
    assert table["income"].is_missing.sum() == 2
    assert set(table["income"].type.marks) == {"-", "free"}


def test_dates_with_marks_are_dates():
    texts = [f"{day:%d/%m/%Y}" for day in DAYS]
    texts[7] = "unknown"
    with pytest.warns(BranchlineWarning, match="all other cells are dates"):
        table = Table({"day": texts})
    assert table["day"].type.source == "date"


@pytest.mark.parametrize(
    "texts",
    [
        ["1", "-"] * 20,  # a yes and a no
        ["a", "b", "-", "none"] * 10,
        ["yes", "no", "unknown"] * 10,
        [*["A1", "B2", "C3"] * 10, "-"],
    ],
)
def test_marks_beside_names_are_names(texts):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        table = read_table(csv({"x": texts, "n": range(len(texts))}))
    assert table["x"].kind == "category"


def test_texts_that_were_called_missing_are_remembered_by_models(tmp_path):
    cells = {"income": with_cells({3: "free", 5: "gift"}), "region": ["n", "s", "tbc"] * 80}
    table = read_table(csv(cells), missing=["", "free", "gift", "tbc"])
    assert table.schema["income"].marks == ("free", "gift")
    assert table.schema["region"].marks == ("tbc",)
    y = np.arange(240) > 120
    DecisionTreeClassifier().fit(table, y).save(tmp_path / "m")
    model = load(tmp_path / "m")
    assert model.schema_["income"].marks == ("free", "gift")
    later = {"income": ["free", "$1,100"], "region": ["n", "tbc"]}
    applied = model.schema_.apply(as_table(later, texts="raw"))
    assert applied["income"].to_list() == [None, 1100]
    assert applied["region"].values.tolist() == [0, -1]
    assert model.predict(later).shape == (2,)
