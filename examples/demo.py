"""The main job: a table in, a trustworthy answer out. Run by ``make demo``.

German credit is bundled; nothing is prepared by hand. The same on the command line:
``branchline compare credit.csv --target class``.
"""

from pathlib import Path

from joblib import cpu_count

import branchline as bl


def main() -> None:
    """Compare one learner of each family, say which to take and why, write the report."""
    table = bl.load_dataset("german-credit")
    print("Comparing one learner of each family on German credit: some seconds.")
    found = bl.compare(table, "class", n_jobs=cpu_count())
    print(f"\n{found}\n")
    model = found.fit()
    print(model.explain(table.drop("class").rows([1])).to_text(most=5))
    report = Path("build") / "german-credit-report.html"
    report.parent.mkdir(exist_ok=True)
    bl.write_report(
        found, report, model=model, command="branchline compare credit.csv --target class"
    )
    print(f"\nThe report, one file to open or send: {report}")


if __name__ == "__main__":
    main()
