"""The bundled data sets: what the catalog says is what the files hold."""

import subprocess
import sys
from collections import Counter
from importlib.resources import files

import pytest

from branchline.errors import DataError
from branchline.table import DatasetInfo, Table, dataset_info, dataset_names, load_dataset

FOLDER = files("branchline.table").joinpath("data")

# name: (rows, columns, numeric columns, missing cells, target)
EXPECTED = {
    "tennis": (14, 5, 0, 0, "play"),
    "tennis-numeric": (14, 5, 1, 0, "play"),
    "tennis-2": (14, 5, 0, 0, "play"),
    "names": (10, 5, 0, 0, "name"),
    "robot": (6, 6, 0, 0, "action"),
    "loan": (15, 5, 0, 0, "class"),
    "fruit": (5, 5, 0, 0, "fruit"),
    "grades-clouds": (190, 2, 0, 67, "grade"),
    "grades-pass-clouds": (190, 2, 0, 67, "result"),
    "grades-pass-improc": (190, 2, 0, 174, "result"),
    "grades-softdev-a": (25, 2, 0, 5, "grade"),
    "flipflop": (20, 2, 0, 0, "Y"),
    "roc": (20, 2, 1, 0, "class"),
    "regression": (15, 3, 3, 0, "truth"),
    "one-nn": (4, 3, 2, 0, "class"),
    "kernel-6": (6, 6, 6, 0, None),
    "xor": (4, 3, 2, 0, "class"),
    "german-credit": (1000, 21, 7, 0, "class"),
    "votes84": (435, 17, 0, 392, "party"),
    "iris": (150, 5, 4, 0, "species"),
    "auto-mpg": (398, 8, 5, 6, "mpg"),
    "heart": (303, 14, 6, 7, "disease"),
    "titanic": (1309, 14, 5, 3855, "survived"),
}
CLASS_COUNTS = {
    "german-credit": {"good": 700, "bad": 300},
    "votes84": {"democrat": 267, "republican": 168},
    "iris": {"setosa": 50, "versicolor": 50, "virginica": 50},
    "heart": {"absent": 165, "present": 138},
    "titanic": {"no": 809, "yes": 500},
}
every_set = pytest.mark.parametrize("name", EXPECTED)


def n_missing(table: Table) -> int:
    return sum(int(column.is_missing.sum()) for column in table.columns)


def test_names_are_the_expected_ones():
    assert dataset_names() == tuple(EXPECTED)


@every_set
def test_table_has_the_expected_shape_kinds_and_holes(name):
    table = load_dataset(name)
    n_numeric = sum(column.kind == "numeric" for column in table.columns)
    assert isinstance(table, Table)
    assert (*table.shape, n_numeric, n_missing(table), dataset_info(name).target) == EXPECTED[name]


@every_set
def test_info_agrees_with_the_table(name):
    info, table = dataset_info(name), load_dataset(name)
    assert isinstance(info, DatasetInfo)
    assert (info.name, info.n_rows, info.n_columns) == (name, *table.shape)
    assert {*info.kinds, *info.categories} <= set(table.names)
    assert all(table[column].kind == kind for column, kind in info.kinds.items())
    if info.target is not None:
        assert not table[info.target].is_missing.any()


@every_set
def test_task_fits_the_target(name):
    info = dataset_info(name)
    kinds = {"classification": "category", "regression": "numeric"}
    if info.target is None:
        assert info.task == "other"
    else:
        assert load_dataset(name)[info.target].kind == kinds[info.task]


@every_set
def test_words_are_not_empty(name):
    info = dataset_info(name)
    for words in (info.title, info.description, info.source, info.license, info.citation):
        assert words.strip()


def test_catalog_and_files_agree_both_ways():
    stored = {entry.name for entry in FOLDER.iterdir()}
    assert stored == {f"{name}.csv" for name in dataset_names()} | {"catalog.json", "README.md"}


@every_set
def test_read_me_says_what_the_catalog_says(name):
    info, page = dataset_info(name), FOLDER.joinpath("README.md").read_text(encoding="utf-8")
    section = page.partition(f"\n## {name}\n")[2].partition("\n## ")[0]
    for words in (info.title, info.source, info.license, info.citation, info.description):
        assert words in section


def test_files_are_small():
    assert sum(len(entry.read_bytes()) for entry in FOLDER.iterdir()) < 400_000


@pytest.mark.parametrize("name", CLASS_COUNTS)
def test_class_counts(name):
    info = dataset_info(name)
    assert Counter(load_dataset(name)[info.target].to_list()) == CLASS_COUNTS[name]


def test_missing_cells_lie_where_they_should():
    titanic, heart = load_dataset("titanic"), load_dataset("heart")
    holes = {column.name: int(column.is_missing.sum()) for column in titanic.columns}
    assert {name: count for name, count in holes.items() if count} == {
        "age": 263,
        "fare": 1,
        "cabin": 1014,
        "embarked": 2,
        "boat": 823,
        "body": 1188,
        "home.dest": 564,
    }
    assert heart["vessels"].is_missing.sum() == 5
    assert heart["thallium_scan"].is_missing.sum() == 2
    assert load_dataset("auto-mpg")["horsepower"].is_missing.sum() == 6


def test_the_word_none_is_a_category_not_a_hole():
    assert "none" in load_dataset("german-credit")["other_parties"].categories


def test_a_name_with_a_comma_is_one_cell():
    assert load_dataset("titanic")["name"].to_list()[0] == "Allen, Miss. Elisabeth Walton"


def test_declared_categories_include_one_without_rows():
    letters = load_dataset("flipflop")["X"]
    assert letters.categories == ("α", "β", "γ", "δ")
    assert Counter(letters.to_list()) == {"α": 7, "γ": 8, "δ": 5}


def test_loading_twice_gives_equal_tables():
    assert load_dataset("heart").to_dicts() == load_dataset("heart").to_dicts()


@pytest.mark.parametrize(
    ("wrong", "meant"), [("tenis", "tennis"), ("Titanic", "titanic"), ("auto_mpg", "auto-mpg")]
)
def test_unknown_name_suggests_the_nearest(wrong, meant):
    with pytest.raises(DataError, match=f"Did you mean '{meant}'") as caught:
        load_dataset(wrong)
    assert caught.value.code == "D050"
    assert caught.value.repair.python == f'load_dataset("{meant}")'


def test_unknown_name_lists_all():
    with pytest.raises(DataError) as caught:
        dataset_info("zzz")
    assert all(name in caught.value.message for name in dataset_names())
    assert caught.value.repair.python is None


def test_a_name_cannot_leave_the_folder():
    with pytest.raises(DataError, match="No bundled data set"):
        load_dataset("../_table")


def test_catalog_is_read_without_frame_libraries():
    lines = (
        "import sys; from branchline.table import dataset_names; assert dataset_names();"
        "heavy = {'pandas', 'polars', 'sklearn'} & set(sys.modules); assert not heavy, heavy"
    )
    subprocess.run([sys.executable, "-c", lines], check=True)
