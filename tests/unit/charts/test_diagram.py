"""Diagrams: boxes in layers, arrows that lead down."""

import xml.etree.ElementTree as ET

import pytest

from branchline.charts import Diagram, DiagramEdge
from branchline.errors import ParameterError

EDGES = (DiagramEdge(0, 1), DiagramEdge(1, 2, is_sure=False), DiagramEdge(0, 2, label="90 %"))


def test_every_box_and_arrow_is_drawn():
    diagram = Diagram(("a", "b <", "c"), EDGES, frozenset({1}), "Three", "A note.")
    root = ET.fromstring(diagram.to_svg())
    words = [each.text for each in root.iter("{http://www.w3.org/2000/svg}text")]
    assert words == ["Three", "90 %", "a", "b <", "c", "A note."]
    lines = list(root.iter("{http://www.w3.org/2000/svg}path"))
    assert len(lines) == 6  # a line and a head for each arrow
    assert diagram.text == "Three. a → b <, b < → c, a → c."


def test_layers_follow_the_arrows():
    assert Diagram(("a", "b", "c", "late"), (*EDGES, DiagramEdge(3, 2)))._depths() == [0, 1, 2, 1]


def test_a_diagram_without_boxes_is_a_picture_too():
    assert Diagram((), (), title="Nothing").to_svg().startswith("<svg")


def test_a_diagram_is_not_written_as_pdf(tmp_path):
    with pytest.raises(ParameterError):
        Diagram(("a",), ()).save(tmp_path / "d.pdf")
    Diagram(("a",), ()).save(tmp_path / "d.html")
    assert "<svg" in (tmp_path / "d.html").read_text()
