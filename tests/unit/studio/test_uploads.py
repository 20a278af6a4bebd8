"""Names of files that come in: endings by a list, shown names without paths."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from branchline.errors import DataError
from branchline.studio._uploads import MODEL_ENDINGS, TABLE_ENDINGS, ending_in, shown_name


@pytest.mark.parametrize(
    ("name", "ending"), [("A.CSV", ".csv"), ("x.csv.gz", ".csv.gz"), ("b.tar.xlsx", ".xlsx")]
)
def test_endings_are_found(name, ending):
    assert ending_in(name, TABLE_ENDINGS) == ending


@pytest.mark.parametrize("name", ["model.pkl", "a.joblib", "a", "a.exe", "../../etc/passwd", ".py"])
def test_other_kinds_are_refused(name):
    with pytest.raises(DataError) as caught:
        ending_in(name, TABLE_ENDINGS)
    assert caught.value.code == "F961"
    with pytest.raises(DataError):
        ending_in(name, MODEL_ENDINGS)


@given(st.text(max_size=60))
def test_shown_names_have_no_path_and_no_odd_characters(name):
    shown = shown_name(name)
    assert shown
    assert not set(shown) & set('/\\<>:"|?*\n\0')
    assert not shown.startswith((".", "-"))
