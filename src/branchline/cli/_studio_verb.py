"""``studio``: the page in the browser."""

from typing import Annotated

import typer

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
) -> None:
    """Open the studio in the browser.

    Look at a table, compare learners, read and edit a tree, try learners on points, predict.
    Nothing leaves this machine.

    Example: branchline studio credit.csv
    """
    from branchline.studio import serve

    serve(path, workspace=workspace, port=port, browser=browser)


def register(app: typer.Typer) -> None:
    """Add the verb to the application."""
    app.command()(studio)
