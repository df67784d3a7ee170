"""Width of a page's side panel."""

import pytest
from PySide6.QtWidgets import QWidget

from studio.gui.base import theme
from studio.gui.widgets import kit


@pytest.mark.parametrize(
    ("scale", "page_width", "width"),
    [(1.0, 1200, 344), (1.5, 1800, 516), (1.5, 1000, 400), (2.0, 700, 344)],
)
def test_side_panel_widens_with_font_size_if_it_fits(
    monkeypatch: pytest.MonkeyPatch, scale: float, page_width: int, width: int
) -> None:
    monkeypatch.setattr(theme, "pixels", lambda size: round(scale * size))
    page = QWidget()
    page.resize(page_width, 600)
    assert kit.compute_side_width(page) == width
