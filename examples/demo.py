"""The main job: a table in, a trustworthy answer out. Run by ``make demo``.

German credit is bundled; nothing is prepared by hand. The same on the command line:
``branchline compare credit.csv --target class``.
"""

import sys
from pathlib import Path

from joblib import cpu_count

from branchline import load_dataset
from branchline.assess import carry_out, make_plan, make_problem
from branchline.report import write_report


def main() -> None:
    """Compare one learner of each family, say which to take and why, write the report."""
    problem = make_problem(load_dataset("german-credit"), "class")
    plan = make_plan("classification", learners="fast")
    print(plan.describe(problem.n_rows, problem.table.n_columns), end="\n\n")
    comparison = carry_out(plan, problem, n_jobs=cpu_count(), on_result=_tell)
    print(f"\n{comparison}\n")
    model = comparison.fit()
    print(model.explain(problem.table.rows([1])).to_text(most=5))
    report = Path("build") / "german-credit-report.html"
    report.parent.mkdir(exist_ok=True)
    write_report(
        comparison, report, model=model, command="branchline compare credit.csv --target class"
    )
    print(f"\nThe report, one file to open or send: {report}")


def _tell(_: object, n_done: int, total: int) -> None:
    if n_done % 10 == 0 or n_done == total:
        print(f"{n_done} of {total} fits", file=sys.stderr, flush=True)


if __name__ == "__main__":
    main()
