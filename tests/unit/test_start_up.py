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
