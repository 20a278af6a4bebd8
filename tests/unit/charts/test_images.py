"""Images in a grid: files, words, refusals."""

import numpy as np
import pytest
from tests.unit.charts.drawing_checks import check_picture

from branchline.charts import Images
from branchline.errors import ParameterError

GRAY = np.arange(12.0).reshape(3, 4)


def test_a_picture_of_images(tmp_path):
    picture = Images((GRAY, GRAY.T), ("wide", "tall"), 2, "Two", "A note.")
    check_picture(picture)
    assert picture.text == "Two. 2 images of 3 × 4 pixels: wide and tall. A note."
    assert repr(picture) == "<Images: Two>"
    frame = picture.to_frame()
    assert len(frame) == 24
    assert frame["value"].iloc[11] == 11
    for ending in ("svg", "png", "html", "pdf"):
        picture.save(tmp_path / f"images.{ending}")
        assert (tmp_path / f"images.{ending}").stat().st_size > 500


def test_a_phone_has_fewer_in_a_line_and_a_constant_image_is_gray():
    picture = Images((np.ones((2, 2)),) * 8, n_columns=8)
    tall, wide = picture.to_svg(350), picture.to_svg(640)
    assert tall.count("<image") == wide.count("<image") == 8
    assert 'height="350' not in wide
    assert Images((GRAY,), ends=(0, 100)).to_svg() != Images((GRAY,)).to_svg()


@pytest.mark.parametrize(
    ("images", "captions"), [((), ()), (([1.0],), ()), (([[np.nan]],), ()), ((GRAY,), ("a", "b"))]
)
def test_what_is_not_an_image_is_refused(images, captions):
    with pytest.raises(ParameterError, match="P742"):
        Images(images, captions)
