"""Starting the studio: a socket on this machine alone, the address with its secret, the server."""

import contextlib
import shutil
import socket
import sys
import threading
import webbrowser
from collections.abc import Callable
from pathlib import Path
from typing import Any

from branchline.errors import DataError, MissingExtra, ParameterError, Repair
from branchline.studio._hold import hold
from branchline.studio._workspace import Workspace

__all__ = ["begin", "open_socket", "serve"]

_COMMAND = 'pip install "branchline[studio]"'


def serve(
    path: str | None = None,
    *,
    workspace: str = "branchline-studio",
    port: int = 0,
    browser: bool = True,
    tell: Callable[[str, Path], None] | None = None,
) -> None:
    """Serve the studio until Ctrl-C.

    Parameters
    ----------
    path
        A table to begin with; it is copied into the workspace.
    workspace
        The folder that the studio keeps everything in.
    port
        The port; 0: a free one.
    browser
        Whether a browser is opened.
    tell
        Is called with the address and the workspace when the studio listens. Default: both are
        printed.
    """
    need_extra()
    import uvicorn

    from branchline.studio._app import make_app
    from branchline.studio._guard import Keys

    place = Workspace(workspace)
    with hold(place.folder) as note, open_socket(port) as listening:
        keys = Keys(listening.getsockname()[1])
        note(f"http://127.0.0.1:{keys.port}/")
        opened = None if path is None else begin(place, path)
        address = f"http://127.0.0.1:{keys.port}/#token={keys.token}"
        (tell or _print)(address, place.folder)
        if browser:
            threading.Timer(0.5, webbrowser.open, (address,)).start()
        config = _config(make_app(place, keys, opened))
        with contextlib.suppress(KeyboardInterrupt):  # Ctrl-C is how it ends
            uvicorn.Server(config).run(sockets=[listening])


def _config(app: Any) -> Any:
    import uvicorn

    return uvicorn.Config(
        app,
        log_level="warning",
        access_log=False,
        server_header=False,
        date_header=False,
        ws="none",
        h11_max_incomplete_event_size=64 * 1024,
        timeout_keep_alive=15,
        timeout_graceful_shutdown=2,
    )


def _print(address: str, folder: Path) -> None:
    print(f"Studio: {address}\nWorkspace: {folder}\nCtrl-C ends it.", flush=True)


def begin(workspace: Workspace, path: str) -> str:
    """Copy a table into the workspace, read it, and return its id."""
    import warnings

    from branchline.errors import BranchlineWarning
    from branchline.studio._uploads import TABLE_ENDINGS, ending_in
    from branchline.studio.work import Desk
    from branchline.studio.work.tables import add_upload

    file = Path(path)
    if not file.is_file():
        raise DataError(
            f"There is no file {path!r}.", code="F001", repair=Repair(flag="branchline studio")
        )
    ending, id = ending_in(file.name, TABLE_ENDINGS), workspace.new_id()
    shutil.copyfile(file, workspace.place("tables", id, ending))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", BranchlineWarning)  # the page shows them as notes
        add_upload(Desk(workspace), id, path, ending)
    return id


def open_socket(port: int) -> socket.socket:
    """Return a socket that listens on this machine alone."""
    listening = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
    if sys.platform != "win32":
        listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listening.bind(("127.0.0.1", port))
    except OSError as error:
        listening.close()
        raise ParameterError(
            f"Port {port} is taken.",
            code="P966",
            values=[port],
            repair=Repair(flag="leave --port out"),
        ) from error
    listening.listen(128)
    return listening


def need_extra() -> Any:
    """Refuse to start without the libraries of the studio."""
    try:
        import fastapi
        import uvicorn
    except ImportError as problem:
        raise MissingExtra(
            "The studio needs FastAPI and uvicorn, which are not installed.",
            code="X020",
            repair=Repair(_COMMAND, _COMMAND),
        ) from problem
    return fastapi, uvicorn
