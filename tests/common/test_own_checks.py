"""Our own checks, on every estimator; their number is part of the test."""

import pytest

from common.estimators import CHECKED
from common.own_checks import CHECKS

N_CHECKS = 39


def test_no_check_is_lost() -> None:
    assert len(CHECKS) == N_CHECKS


# Ctrl-C may fall into a destructor, where Python can only report it.
@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
@pytest.mark.parametrize("check", CHECKS)
@pytest.mark.parametrize("name", CHECKED)
def test_estimator_obeys(name: str, check: str) -> None:
    CHECKS[check](CHECKED[name])
