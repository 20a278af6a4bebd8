"""``python -m benchmarks.reproductions.few_labels``: what was asked and what was reached.

Few labels, labeling, streams, decisions, structured outputs, Gaussian processes: each part measures
what was asked for over several draws and prints a line for each figure, with its standard error.

``python -m benchmarks.reproductions.few_labels moons digits --draws 5`` runs some parts;
``--list`` names them. Peers (river, scikit-activeml, python-crfsuite) are left out where they are
not installed, and so is gymnasium.
"""

import argparse
import sys
import time
from collections.abc import Callable, Sequence

from benchmarks._peers import limit_processes
from benchmarks.reproductions import (
    _shown_decisions,
    _shown_labels,
    _shown_processes,
    _shown_streams,
)
from benchmarks.reproductions._shown import Shown, table_of

__all__ = ["main"]

PARTS: dict[str, Callable[[int], list[Shown]]] = {
    **_shown_labels.PARTS,
    **_shown_decisions.PARTS,
    **_shown_processes.PARTS,
    **_shown_streams.PARTS,
}


def main(arguments: Sequence[str]) -> int:
    """Print the table; the exit status is 1 when a figure was not reached."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", maxsplit=1)[0])
    parser.add_argument("parts", nargs="*", help="which parts (default: all)")
    parser.add_argument("--draws", type=int, default=20, help="draws of each figure (default: 20)")
    parser.add_argument("--list", action="store_true", help="name the parts and stop")
    given = parser.parse_args(arguments)
    if unknown := [name for name in given.parts if name not in PARTS]:
        parser.error(f"there is no part {unknown[0]!r}; the parts are {', '.join(PARTS)}")
    if given.list:
        for name, part in PARTS.items():
            print(f"{name:<12}{(part.__doc__ or '').splitlines()[0]}")
        return 0
    limit_processes(1)
    lines: list[Shown] = []
    for name in given.parts or PARTS:
        began = time.process_time()
        found = PARTS[name](given.draws)
        lines += found
        print(f"\n{name}: {time.process_time() - began:.0f} s\n{table_of(found)}", flush=True)
    return int(any(one.met is False for one in lines))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
