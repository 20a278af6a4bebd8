"""One memory budget for everything that could grow large: codes, dense copies, Gram matrices.

The budget is a quarter of the memory that is available to this process (the machine's, or its
container's when that is less), unless ``BRANCHLINE_MEMORY`` says how many bytes: 2000000000, 8G.
"""

import os
import re
from pathlib import Path

from branchline.errors import DataError, ParameterError, Repair

__all__ = ["READ_IN_BLOCKS", "available_bytes", "budget_bytes", "refuse_over_budget"]

_CGROUP = Path("/sys/fs/cgroup")
_FALLBACK = 4 * 2**30
_ALWAYS_ALLOWED = 2**24  # too little to ask the machine about

# The learners that need no copy of a table's cells.
READ_IN_BLOCKS = (
    "Naive Bayes, linear, ridge, logistic and hashed logistic regression, and k-means read tables "
    "with any number of rows block by block, without a copy."
)


def available_bytes() -> int:
    """Return how many bytes this process may still use."""
    limits = [amount for amount in (_machine_bytes(), _container_bytes()) if amount is not None]
    return min(limits, default=_FALLBACK)


def budget_bytes() -> int:
    """Return how many bytes one operation may use."""
    asked = os.environ.get("BRANCHLINE_MEMORY")
    return available_bytes() // 4 if asked is None else _bytes_of(asked)


def _bytes_of(text: str) -> int:
    found = re.fullmatch(r"(\d+)\s*([KMGT]?)i?B?", text.strip(), re.IGNORECASE)
    if found is None:
        raise ParameterError(
            f"BRANCHLINE_MEMORY must be a number of bytes such as 2000000000 or 8G. Got {text!r}.",
            code="P006",
            values=[text],
            repair=Repair('import os; os.environ["BRANCHLINE_MEMORY"] = "8G"'),
        )
    return int(found[1]) << 10 * " KMGT".index(found[2].upper() or " ")


def refuse_over_budget(needed: int, purpose: str, *, is_copy: bool = False) -> None:
    """Raise an error when ``needed`` bytes are more than the budget.

    With ``is_copy``, they hold all cells of a table, and the error names learners that need not.
    """
    if needed <= _ALWAYS_ALLOWED and "BRANCHLINE_MEMORY" not in os.environ:
        return
    budget = budget_bytes()
    if needed <= budget:
        return
    raise DataError(
        f"This needs {_gib(needed)} for {purpose}; the budget is {_gib(budget)}."
        + (f" {READ_IN_BLOCKS}" if is_copy else ""),
        code="D030",
        repair=Repair(f'import os; os.environ["BRANCHLINE_MEMORY"] = "{needed}"'),
    )


def _machine_bytes() -> int | None:
    try:
        for line in Path("/proc/meminfo").read_text(encoding="ascii").splitlines():
            if line.startswith("MemAvailable:"):
                return int(line.split()[1]) * 1024
    except (OSError, ValueError, IndexError):
        return None
    return None


def _container_bytes() -> int | None:
    try:
        limit = (_CGROUP / "memory.max").read_text(encoding="ascii").strip()
        used = (_CGROUP / "memory.current").read_text(encoding="ascii").strip()
        return None if limit == "max" else max(0, int(limit) - int(used) + _droppable_bytes())
    except (OSError, ValueError):
        return None


def _droppable_bytes() -> int:
    """Return how much of the memory in use holds copies of files, which the kernel can drop."""
    for line in (_CGROUP / "memory.stat").read_text(encoding="ascii").splitlines():
        if line.startswith("inactive_file "):
            return int(line.split()[1])
    return 0


def _gib(amount: int) -> str:
    return f"{amount / 2**30:.2f} GiB"
