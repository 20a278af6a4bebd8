"""Start-up: what is imported when. Modules are asserted, not seconds."""

import subprocess
import sys

import pytest

import branchline

HEAVY = {"numpy", "pandas", "polars", "sklearn", "scipy", "pyarrow", "branchline._core"}


def modules_after(code: str) -> set[str]:
    """Return the heavy modules that are loaded after running ``code`` in a new process."""
    program = f"{code}\nimport sys; print(*sys.modules)"
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )
    return HEAVY & set(done.stdout.splitlines()[-1].split())


def test_importing_the_root_loads_nothing_heavy() -> None:
    assert modules_after("import branchline; dir(branchline); branchline.__version__") == set()


def test_errors_load_nothing_heavy() -> None:
    assert modules_after("import branchline.errors") == set()


def test_help_loads_nothing_heavy() -> None:
    code = "from typer.testing import CliRunner\nfrom branchline.cli._app import app\n"
    code += "assert CliRunner().invoke(app, ['--help']).exit_code == 0"
    assert modules_after(code) == set()


def test_the_table_loads_numpy_only() -> None:
    assert modules_after("import branchline.table") == {"numpy"}


@pytest.mark.parametrize("name", sorted(set(branchline.__all__) - {"__version__"}))
def test_every_public_name_is_found(name: str) -> None:
    assert getattr(branchline, name) is not None
    assert name in dir(branchline)


def test_an_unknown_name_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="no attribute 'forrest'"):
        branchline.forrest  # noqa: B018


def test_only_public_names_are_listed() -> None:
    listed = dir(branchline)
    assert set(listed) == set(branchline.__all__)
    assert {"compare", "cross_validate", "load", "look", "make", "read_table"} <= set(listed)
    assert {"write_report", "report", "reproduce"} <= set(listed)
    assert not [name for name in listed if name.startswith("_") and name != "__version__"]


def test_the_main_job_is_reached_from_the_root() -> None:
    from branchline.assess import compare
    from branchline.catalog import make
    from branchline.report import write_report

    assert branchline.compare is compare
    assert branchline.make is make
    assert branchline.write_report is write_report
    assert branchline.report.write_report is write_report
    assert branchline.reproduce.friedman.__name__ == "friedman"
