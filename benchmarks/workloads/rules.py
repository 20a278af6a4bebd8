"""Frequent item sets of the groceries data against pyfim (C) and mlxtend (NumPy)."""

from typing import Any

from benchmarks._data import ABSENT, data_folder
from benchmarks._harness import Bench, workload
from benchmarks._peers import import_peer

MIN_COUNT = 10  # 0.1 % of 9,835 baskets


@workload(
    "item-sets-groceries",
    bar=0.5,
    against="pyfim",
    why="within twice the time of the fastest search in C",
)
def item_sets(bench: Bench) -> None:
    """Find all item sets in at least 10 of 9,835 baskets; the score is how many there are."""
    folder = data_folder()
    if folder is None:
        bench.skip(ABSENT)
        return
    text = (folder / "groceries" / "groceries.csv").read_text(encoding="utf-8")
    baskets = [[item.strip() for item in line.split(",")] for line in text.splitlines()]
    bench.compare(
        {
            "branchline": lambda: _ours(baskets, bench.threads),
            "pyfim": lambda: (
                lambda: len(
                    import_peer("pyfim").fpgrowth(baskets, target="s", supp=-MIN_COUNT, zmin=1)
                )
            ),
            "mlxtend": lambda: _mlxtend(baskets),
        },
        score=float,
        closeness=0.0,
    )


def _ours(baskets: list[list[str]], threads: int) -> Any:
    from branchline.density import as_baskets, frequent_item_sets

    made = as_baskets(baskets)
    return lambda: len(frequent_item_sets(made, min_support=MIN_COUNT, n_jobs=threads))


def _mlxtend(baskets: list[list[str]]) -> Any:
    import pandas

    encoder = import_peer("mlxtend", "preprocessing").TransactionEncoder()
    frame = pandas.DataFrame(encoder.fit_transform(baskets), columns=encoder.columns_)
    search = import_peer("mlxtend", "frequent_patterns").fpgrowth
    return lambda: len(search(frame, min_support=MIN_COUNT / len(baskets) - 1e-9))
