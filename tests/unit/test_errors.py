"""The family of errors: codes, texts, repairs, pickling."""

import pickle
import re
from pathlib import Path

import pytest
from sklearn.exceptions import NotFittedError as SklearnNotFittedError

import branchline
from branchline import errors
from branchline.errors import ERROR_CODES, DataError, KindError, Repair

SOURCES = Path(branchline.__file__).parent


def used_codes() -> set[str]:
    texts = [path.read_text(encoding="utf-8") for path in SOURCES.rglob("*.py")]
    quoted = re.compile(r'"([DFKMNPWX]\d{3})"')
    return {
        code
        for path, text in zip(SOURCES.rglob("*.py"), texts, strict=True)
        if path.parent.name != "_error_codes"
        for code in quoted.findall(text)
    }


def test_every_code_that_is_raised_is_explained_and_the_other_way_round() -> None:
    assert used_codes() == set(ERROR_CODES)


def test_codes_are_well_formed_and_explained_in_a_sentence_or_more() -> None:
    for code, entry in ERROR_CODES.items():
        assert re.fullmatch(r"[DFKMNPWX]\d{3}", code)
        assert entry.title[0].islower() or entry.title[0].isupper()
        assert entry.explanation.endswith(".")
        assert len(entry.explanation) > 40


@pytest.mark.parametrize(
    ("kind", "also"),
    [
        (errors.DataError, ValueError),
        (errors.ParameterError, ValueError),
        (errors.ModelFileError, ValueError),
        (errors.KindError, TypeError),
        (errors.MissingExtra, ImportError),
        (errors.UnknownParameterError, TypeError),
        (errors.NotFittedError, SklearnNotFittedError),
    ],
)
def test_errors_are_also_pythons_own(kind: type[Exception], also: type[Exception]) -> None:
    assert issubclass(kind, also)
    assert issubclass(kind, errors.BranchlineError)


def test_the_text_names_place_and_repair() -> None:
    error = DataError(
        "Wrong.",
        code="D003",
        column="age",
        rows=range(9),
        values=["a", "b"],
        repair=Repair("X = 1\ny = 2", "--drop age"),
    )
    assert str(error).splitlines() == [
        "Wrong.",
        "  column: age",
        "  rows: 0, 1, 2, 3, 4, … (9 in all) (counted from 0)",
        "  values: 'a', 'b'",
        "  repair:",
        "    X = 1",
        "    y = 2",
        "  on the command line: --drop age",
        "  [D003] more: branchline errors D003",
    ]


def test_errors_survive_pickling_between_processes() -> None:
    error = KindError("Odd.", code="K001", column="c", rows=[3], n_rows=7, values=[1.5])
    again = pickle.loads(pickle.dumps(error))
    assert type(again) is KindError
    assert again.to_dict() == error.to_dict()
    assert again.values == error.values
    unfitted = errors.NotFittedError("Not yet.", code="N001")
    assert type(pickle.loads(pickle.dumps(unfitted))) is errors.NotFittedError


def test_an_unknown_code_cannot_be_raised() -> None:
    with pytest.raises(LookupError):
        DataError("Wrong.", code="D999")
