"""What routes share: the studio at hand, the sign of a page that has entered, forms of numbers."""

import secrets
from typing import TYPE_CHECKING, Annotated, cast

from fastapi import Path, Query, Request

from branchline.studio._guard import Refused

if TYPE_CHECKING:
    from branchline.studio._app import Studio

__all__ = ["Count", "Id", "Names", "Number", "Place", "signed_in", "studio_of"]

Id = Annotated[str, Path(pattern=r"^[0-9a-f]{16}$")]
Names = Annotated[str, Query(pattern=r"^[0-9a-f]{16}$")]
Number = Annotated[int, Path(ge=0, le=10**9)]
Place = Annotated[int, Query(ge=0, le=10**9)]
Count = Annotated[int, Query(ge=1, le=200)]


def studio_of(request: Request) -> "Studio":
    """Return the studio that a request is for."""
    return cast("Studio", request.app.state.studio)


def signed_in(request: Request) -> None:
    """Refuse a request without the cookie."""
    keys = studio_of(request).keys
    given = request.cookies.get(keys.cookie_name, "")
    if not secrets.compare_digest(given.encode("utf-8", "replace"), keys.cookie.encode()):
        raise Refused(401, "P965", "Open the address that the terminal shows.")
