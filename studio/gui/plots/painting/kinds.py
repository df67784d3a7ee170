"""Every kind of mark, and what shows it."""

from typing import Any

from studio.figures import marks
from studio.figures.marks import Mark
from studio.gui.plots.painting.items import (
    ShownArea,
    ShownBand,
    ShownBoxes,
    ShownDots,
    ShownLevelSpan,
    ShownLine,
    ShownRule,
    ShownSlimBoxes,
    ShownSpan,
)
from studio.gui.plots.painting.matrices import ShownBrackets, ShownCells, ShownHeat
from studio.gui.plots.painting.shown import PaintedMarks
from studio.gui.plots.painting.texts import ShownNote, ShownWords

KINDS: dict[type[Mark], type[PaintedMarks[Any]]] = {
    marks.Line: ShownLine,
    marks.Area: ShownArea,
    marks.Band: ShownBand,
    marks.Dots: ShownDots,
    marks.Boxes: ShownBoxes,
    marks.SlimBoxes: ShownSlimBoxes,
    marks.Rule: ShownRule,
    marks.Span: ShownSpan,
    marks.LevelSpan: ShownLevelSpan,
    marks.Heat: ShownHeat,
    marks.Cells: ShownCells,
    marks.WordMarks: ShownWords,
    marks.Note: ShownNote,
    marks.Brackets: ShownBrackets,
}
"""What shows each kind of mark; a new kind is one class above and one line here."""
