"""Heat maps, matrices of cells and their brackets."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import pyqtgraph

from studio.figures import marks
from studio.figures.ink import Ink
from studio.gui.base.inks import colour
from studio.gui.plots.painting.brackets import BracketsItem
from studio.gui.plots.painting.cell_texts import CellTexts
from studio.gui.plots.painting.scale import scale_table
from studio.gui.plots.painting.shown import PaintedMarks


class ShownHeat(PaintedMarks[marks.Heat]):
    """A matrix on the colour scale, with texts in its cells."""

    def made(self, axes: Any) -> Sequence[Any]:
        """Return an image, and what writes into it."""
        return (pyqtgraph.ImageItem(axisOrder="row-major"), CellTexts())

    def show(self, mark: marks.Heat) -> None:
        """Colour the cells."""
        image, texts = self.items
        pixels = np.empty((*mark.shares.shape, 4), dtype=np.uint8)
        places = np.clip(np.nan_to_num(mark.shares) * 255, 0, 255).astype(int)
        pixels[..., :3] = scale_table()[places]
        pixels[..., 3] = np.where(np.isnan(mark.shares), 0, 255)
        area = (mark.left, mark.bottom, mark.width, mark.height)
        image.setImage(pixels, autoLevels=False, levels=None)
        image.setRect(*area)
        texts.show_texts(mark.texts, mark.shares, area)


class ShownCells(PaintedMarks[marks.Cells]):
    """A matrix of cells in some inks."""

    def made(self, axes: Any) -> Sequence[Any]:
        """Return an image."""
        return (pyqtgraph.ImageItem(axisOrder="row-major"),)

    def show(self, mark: marks.Cells) -> None:
        """Colour the cells."""
        (image,) = self.items
        shades = np.zeros((*mark.places.shape, 4), dtype=np.uint8)
        if mark.inks:
            table = np.array([_triple(ink) for ink in mark.inks], dtype=np.uint8)
            shades[..., :3] = table[mark.places]
        # A pixel is one number of four bytes, the opacity the highest: quicker than byte by byte.
        pixels = (255 * mark.alphas + 0.5).astype("<u4") << 24 | shades.view("<u4")[..., 0]
        pixels = pixels.view(np.uint8).reshape(*mark.alphas.shape, 4)
        image.setImage(pixels, autoLevels=False, levels=None)
        image.setRect(mark.left, mark.bottom, mark.width, mark.height)


def _triple(ink: Ink) -> tuple[int, int, int]:
    made = colour(ink)
    return made.red(), made.green(), made.blue()


class ShownBrackets(PaintedMarks[marks.Brackets]):
    """Brackets beside a matrix."""

    def made(self, axes: Any) -> Sequence[Any]:
        """Return an item of our own."""
        return (BracketsItem(),)

    def show(self, mark: marks.Brackets) -> None:
        """Draw them."""
        self.items[0].show_brackets(mark.groups, mark.size)
