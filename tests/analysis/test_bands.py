"""Figure of bands that hold half of the rows: one scale, a common middle."""

import pytest

from studio.export.report.charts import ErrorBand, make_band_diagram
from studio.figures.shapes import Box, TextLabel


@pytest.mark.parametrize("width", [320.0, 720.0])
def test_bands_share_scale_and_middle(width: float) -> None:
    bands = [
        ErrorBand("model", 60.5, "± 60.5", "series 5"),
        ErrorBand("median", 242.0, "± 242", "muted"),
    ]
    diagram = make_band_diagram(bands, "Bands", "each holds half", width)
    narrow, wide = (each for each in diagram.shapes if isinstance(each, Box))
    assert wide.width == pytest.approx(4 * narrow.width)
    assert {each.x + each.width / 2 for each in (narrow, wide)} == {width / 2}
    assert wide.x >= 0
    texts = [each.text for each in diagram.shapes if isinstance(each, TextLabel)]
    assert {"± 60.5", "± 242", "each holds half"} < {*texts}


def test_band_without_width_is_still_drawn() -> None:
    exact = make_band_diagram(
        [ErrorBand("a", 0.0, "", "text"), ErrorBand("b", 1.0, "", "text")], "", ""
    )
    assert all(each.width > 0 for each in exact.shapes if isinstance(each, Box))
