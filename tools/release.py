"""Build and test what is released: wheels in an empty environment, and a source distribution.

``release.py wheel dist`` installs the newest wheel of a folder into an environment of its own,
where no compiler can be found, and runs the main job and the tour there. ``release.py sdist dist``
writes the source distribution, and builds a wheel from it alone.
"""

import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

__all__ = ["main", "mebibytes", "newest"]

ROOT = Path(__file__).resolve().parent.parent
_COMPARE = ["compare", "heart.csv", "--target", "disease", "--learners", "tree,naive_bayes"]


def newest(folder: Path, pattern: str) -> Path:
    """Return the newest file of a folder; an error when there is none."""
    found = sorted(folder.glob(pattern), key=lambda path: path.stat().st_mtime)
    if not found:
        raise SystemExit(f"There is no {pattern} in {folder}")
    return found[-1].resolve()


def mebibytes(path: Path) -> float:
    """Return the size of a file, or of all files of a folder."""
    files = [path] if path.is_file() else [file for file in path.rglob("*") if file.is_file()]
    return sum(file.stat().st_size for file in files) / 2**20


def check_wheel(folder: Path) -> None:
    """Install the newest wheel into an empty environment, and use it without a compiler."""
    wheel = newest(folder, "branchline-*.whl")
    with tempfile.TemporaryDirectory() as name:
        here = Path(name)
        python = _environment(here)
        _run([python, "-m", "pip", "install", "--quiet", "--only-binary=:all:", str(wheel)], here)
        command = str(Path(python).parent / "branchline")
        empty = {"PATH": str(Path(python).parent), "HOME": name, "CC": "none", "CXX": "none"}
        assert shutil.which("c++", path=empty["PATH"]) is None
        _run([command, "datasets", "heart", "--save", "heart.csv"], here, empty)
        _run([command, *_COMPARE, "--report", "heart.html"], here, empty)
        _run([python, "-m", "pip", "install", "--quiet", "pytest>=9", "pandas>=3"], here)
        tour = [python, "-m", "pytest", "-q", "--import-mode=importlib", "-p", "no:cacheprovider"]
        shutil.copy(ROOT / "tests" / "test_tour.py", here)
        _run([*tour, "test_tour.py"], here, empty)
        package = next(here.glob("env/lib/python*/site-packages/branchline"))
        print(f"{wheel.name}: {mebibytes(wheel):.1f} MiB, installed {mebibytes(package):.1f} MiB")


def check_sdist(folder: Path) -> None:
    """Write the source distribution, and build a wheel from it in an empty folder."""
    with tempfile.TemporaryDirectory() as name:
        here = Path(name)
        code = "import sys, scikit_build_core.build as b; print(b.build_sdist(sys.argv[1]))"
        folder.mkdir(exist_ok=True)
        _run([sys.executable, "-c", code, str(folder.resolve())], ROOT)
        source = newest(folder, "branchline-*.tar.gz")
        pip = [sys.executable, "-m", "pip", "--disable-pip-version-check", "wheel", "--quiet"]
        _run([*pip, "--no-deps", "--wheel-dir", name, str(source)], here)
        wheel = newest(here, "branchline-*.whl")
        print(f"{source.name}: {mebibytes(source):.1f} MiB; {wheel.name} was built from it")


def _environment(here: Path) -> str:
    _run([sys.executable, "-m", "venv", str(here / "env")], here)
    return str(here / "env" / "bin" / "python")


def _run(command: list[str], folder: Path, environment: dict[str, str] | None = None) -> None:
    given = dict(os.environ) if environment is None else environment
    given.pop("PYTHONPATH", None)
    done = subprocess.run(
        command, cwd=folder, env=given, capture_output=True, text=True, check=False
    )
    if done.returncode:
        raise SystemExit(f"{' '.join(command)} failed:\n{done.stdout[-3000:]}{done.stderr[-3000:]}")


def main() -> int:
    """Do what the first argument names in the folder that the second one names."""
    checks = {"wheel": check_wheel, "sdist": check_sdist}
    if len(sys.argv) != len(["", "verb", "folder"]) or sys.argv[1] not in checks:
        print("release.py wheel FOLDER | release.py sdist FOLDER")
        return 2
    checks[sys.argv[1]](Path(sys.argv[2]))
    return 0


if __name__ == "__main__":
    sys.exit(main())
