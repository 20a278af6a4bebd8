"""``studio``: the page in the browser."""

import sys
from pathlib import Path
from typing import Annotated

import typer

from branchline.cli._emit import emit
from branchline.cli._options import Json

__all__ = ["register"]


def studio(
    path: Annotated[
        str | None, typer.Argument(help="A table to begin with; none: choose one on the page.")
    ] = None,
    workspace: Annotated[
        str, typer.Option(help="The folder that keeps tables, comparisons and models.")
    ] = "branchline-studio",
    port: Annotated[
        int, typer.Option(min=0, max=65535, help="The port on this machine; 0: a free one.")
    ] = 0,
    browser: Annotated[
        bool, typer.Option("--browser/--no-browser", help="Whether a browser is opened.")
    ] = True,
    as_json: Json = False,
) -> None:
    """Open the studio in the browser.

    Look at a table, compare learners, read and edit a tree, try learners on points, predict.
    Nothing leaves this machine.

    Example: branchline studio credit.csv
    """
    from branchline.studio import serve

    def tell(address: str, folder: Path) -> None:
        document = {"address": address, "workspace": str(folder)}
        text = f"Studio: {address}\nWorkspace: {folder}\nCtrl-C ends it."
        emit(as_json, {"studio": document}, text)
        sys.stdout.flush()

    serve(path, workspace=workspace, port=port, browser=browser, tell=tell)


def register(app: typer.Typer) -> None:
    """Add the verb to the application."""
    app.command()(studio)
