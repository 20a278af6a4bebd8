"""``python -m benchmarks``: run workloads, print ratios, append one JSON line per measurement."""

import argparse
import sys
from pathlib import Path

from benchmarks._harness import N_DRAWS, Bench, MemoryBench, load_workloads, run, select
from benchmarks._peers import limit_processes
from benchmarks._record import RESULTS, append, environment, lines, read_all
from benchmarks._report import catalogue, markdown, summary, terminal
from benchmarks._results import Comparison, Workload

BUSY = 0.5


def main(arguments: list[str] | None = None) -> int:
    """Run the command line and return its exit status."""
    parser = _parser()
    options = parser.parse_args(arguments)
    limit_processes(options.threads)
    load_workloads()
    try:
        chosen = select(options.names, short=options.short)
    except ValueError as error:
        parser.error(str(error))
    if options.list:
        print(catalogue(chosen))
    elif options.markdown:
        paths = [options.json] if options.json else sorted(RESULTS.glob("*.jsonl"))
        print(markdown(read_all(paths)))
    elif options.memory_of:
        print(_peak_mib(chosen[0], options.memory_of, options.threads))
    else:
        return _run_all(chosen, options)
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    add = parser.add_argument
    add("names", nargs="*", help="workloads to run, by name or glob (default: all)")
    add("--list", action="store_true", help="list the workloads and stop")
    add("--threads", type=_positive, default=2, help="threads of every competitor (default: 2)")
    add("--short", action="store_true", help="the run of five minutes: some of each family")
    add("--n-repeats", type=_positive, help="timed samples of each (default: 5; 2 with --short)")
    add("--n-draws", type=_positive, help=f"draws scored (default: {N_DRAWS}; 1 with --short)")
    add("--quick", action="store_true", help="a twentieth of the rows, two samples, no verdicts")
    add("--json", type=Path, help="file of JSON lines (default: benchmarks/results/runs.jsonl)")
    add("--markdown", action="store_true", help="print the latest results as a Markdown table")
    add("--strict", action="store_true", help="exit 1 also when a bar or a peer is missed")
    add("--memory-of", help=argparse.SUPPRESS)
    return parser


def _positive(text: str) -> int:
    if not text.isdigit() or int(text) == 0:
        raise argparse.ArgumentTypeError(f"{text!r} is not a whole number above 0")
    return int(text)


def _run_all(chosen: list[Workload], options: argparse.Namespace) -> int:
    constant = environment()
    if (constant["load"] or 0) > BUSY:
        print(f"The machine is busy (load {constant['load']}): times will be noisy.\n")
    n_repeats = options.n_repeats or (2 if options.short else 5)
    n_draws = options.n_draws or (1 if options.short else N_DRAWS)
    status, all_found = 0, []
    for one in chosen:
        bench = Bench(
            one,
            threads=options.threads,
            n_repeats=n_repeats,
            quick=options.quick,
            n_draws=n_draws,
            short=options.short,
        )
        found = run(bench)
        all_found.append(found)
        print(terminal(found) + "\n", flush=True)
        append(lines(bench, constant), options.json or RESULTS / "runs.jsonl")
        status = max(status, _exit_status(found, strict=options.strict))
    if len(all_found) > 1:
        print(summary(all_found))
    return status


def _exit_status(found: Comparison, *, strict: bool) -> int:
    statuses = {one.status for one in found.measurements}
    missed = any(verdict.met is False for verdict in found.verdicts)
    return int("failed" in statuses or (strict and (missed or "not installed" in statuses)))


def _peak_mib(one: Workload, competitor: str, threads: int) -> float | None:
    bench = MemoryBench(one, competitor, threads=threads)
    one.run(bench)
    return bench.peak_mib


if __name__ == "__main__":
    sys.exit(main())
