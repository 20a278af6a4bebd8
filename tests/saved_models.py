"""What loading says of a file that it refuses."""

from typing import Any

import pytest

from branchline import load
from branchline.errors import ModelFileError


def refusal(path: Any, **options: Any) -> ModelFileError:
    """Return the error that loading raises."""
    with pytest.raises(ModelFileError) as caught:
        load(path, **options)
    return caught.value
