"""Compare src/branchline/_core.pyi with the compiled module, or write it anew (--write)."""

import subprocess
import sys
import tempfile
from pathlib import Path

STUB = Path(__file__).parent.parent / "src" / "branchline" / "_core.pyi"


def generated() -> str:
    """Return the stub that nanobind makes of the compiled module."""
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder) / "_core.pyi"
        subprocess.run(
            [sys.executable, "-m", "nanobind.stubgen", "-q", "-m", "branchline._core", "-o", out],
            check=True,
        )
        return out.read_text(encoding="utf-8")


def main() -> int:
    """Write the stub, or say whether the committed one is true."""
    made = generated()
    if "--write" in sys.argv:
        STUB.write_text(made, encoding="utf-8")
        return 0
    if STUB.read_text(encoding="utf-8") == made:
        return 0
    print("src/branchline/_core.pyi does not match the compiled module: run `make stub`.")
    return 1


if __name__ == "__main__":
    sys.exit(main())
