"""Slides of a run's story: title, content, caption."""

from collections.abc import Sequence
from itertools import product

import numpy as np
from PySide6.QtCore import QEvent, QPoint, QRect, QSize, Qt
from PySide6.QtGui import QColor, QFontMetrics, QImage, QPainter, QPaintEvent, QResizeEvent
from PySide6.QtWidgets import QLabel, QSizePolicy, QWidget

from studio.arrays import AnyArray
from studio.gui.base import theme
from studio.gui.base.theme import GRID
from studio.gui.pages.live.member_strip import MemberSegment, WeightBar, make_legend_entries
from studio.gui.plots.base.helper_requests import Helper
from studio.gui.plots.base.static_figure import StaticFigure
from studio.gui.plots.base.subjects import Subject
from studio.gui.plots.painting.legend import Legend, LegendEntry
from studio.gui.plots.quality.errors_model import ErrorsData
from studio.gui.plots.quality.errors_values import SCATTER_VIEW, add_half_band
from studio.gui.plots.quality.progress import HeadlinePlot
from studio.gui.shell.story.facts import LargeNumber, OutvotedRow
from studio.gui.widgets import kit
from studio.language import capitalise, translate

_BAR_HEIGHT, _MIN_BAR_HEIGHT, _MAX_LEGEND_ROWS = 130, 40, 4
"""Heights of the bar of members, in the same unit, and the rows of their names below it."""

_BAR_GAP = 3 * GRID
"""Pixels between the bar and the names, in the same unit."""

_MAX_PICTURE_WIDTH = 480
"""Maximum width of a row's picture, in the same unit: a single one takes the slide's height."""

_TYPE_SIZES = (theme.SLIDE_TITLE, theme.TITLE, theme.LARGE, theme.BODY)
"""Type sizes of names and sentences; the largest that fits is used."""

_TITLE_SIZES, _CAPTION_SIZES = (theme.SLIDE_TITLE, theme.TITLE), (theme.LARGE, theme.SMALL)
"""Type sizes of titles and captions, in the order tried until the slide's content has its room."""

_MAX_CAPTION_LINES, _SLIDE_SPACING = 2, 3 * GRID
"""Maximum number of lines of a caption, as far as its type sizes allow, and pixels around it."""

PLOT_SHARE = 0.65
"""Share of a slide's height for a plot, about 0.55 of the screen's."""

_FIGURE_SIZES = (theme.SLIDE_FIGURE, 76, 56, 42)
"""Type sizes of large numbers."""

_SENTENCE_SPACING = 2 * GRID
"""Pixels between sentences, in the same unit."""


def _make_unbreakable(text: str) -> str:
    """Replace the space before per cent signs by a non-breaking space."""
    return text.replace(" %", "\N{NO-BREAK SPACE}%")


class Slide(QWidget):
    """One slide: content with a title above and a caption below.

    Args:
        min_share: Minimum share of the height for the content, as far as smaller type allows.
    """

    def __init__(
        self, title: str, content: QWidget, caption: str, *, min_share: float = 0.0
    ) -> None:
        super().__init__()
        self._min_share = min_share
        self.title_label = kit.label("", wrap=True)
        self.caption_label = kit.label(_make_unbreakable(caption), wrap=True)
        kit.column(
            self.title_label, (content, 1), self.caption_label, parent=self, spacing=_SLIDE_SPACING
        )
        self.set_title(title)

    def set_title(self, title: str) -> None:
        """Change the title."""
        self.title_label.setText(kit.make_unbroken_heading(_make_unbreakable(title)))
        self._fit_type()

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Fit the type to the size."""
        super().resizeEvent(event)
        self._fit_type()

    def changeEvent(self, event: QEvent) -> None:
        """Fit the type after the theme has set another scale."""
        super().changeEvent(event)
        if event.type() == QEvent.Type.StyleChange and self.layout() is not None:
            self._fit_type()

    def _set_type_sizes(self, title: int, caption: int) -> None:
        theme.set_font_size(self.title_label, title, bold=True)
        theme.set_font_size(self.caption_label, caption)

    def _fit_type(self) -> None:
        """Set the largest type with a caption of few lines and enough height for the content."""
        width, labels = self.width(), (self.title_label, self.caption_label)
        for title, caption in product(_TITLE_SIZES, _CAPTION_SIZES):
            self._set_type_sizes(title, caption)
            line_height = QFontMetrics(self.caption_label.font()).lineSpacing()
            n_lines = self.caption_label.heightForWidth(width) / line_height
            text_height = sum(each.heightForWidth(width) for each in labels) + 2 * _SLIDE_SPACING
            has_room = text_height <= (1.0 - self._min_share) * self.height()
            if n_lines < _MAX_CAPTION_LINES + 0.5 and has_room:
                break


class LargeNumberLabel(QLabel):
    """A number in the largest size that fits its column, shared with adjacent numbers."""

    def __init__(self, text: str, adjacent_texts: Sequence[str]) -> None:
        super().__init__(text)
        self._side_labels = adjacent_texts
        self.setMinimumWidth(kit.MIN_LABEL_WIDTH)
        self.fit(theme.SLIDE_FIGURE, 0)

    def fit(self, size: int, width: int) -> None:
        """Set a type size, reduced to fit a width in pixels."""
        theme.set_font_size(self, size, bold=True)
        self.setFont(theme.make_fitting_font(size, self._side_labels, width))


class _Columns(QWidget):
    """Columns of equal width, each a heading above words in the largest type that fits.

    Args:
        sizes: The words' type sizes, the largest first.
        spacing, between: Pixels between columns, and between heading and words, in the same unit.
    """

    def __init__(
        self,
        columns: Sequence[tuple[QWidget, QLabel]],
        sizes: Sequence[int],
        *,
        spacing: int,
        between: int,
    ) -> None:
        super().__init__()
        self._columns, self._sizes = columns, sizes
        self._spacing, self._heading_gap = theme.pixels(spacing), theme.pixels(between)
        column = [(kit.column(*each, None, spacing=self._heading_gap), 1) for each in columns]
        kit.column(None, kit.row(*column, spacing=self._spacing), None, parent=self)
        for _, label in columns:
            theme.set_font_size(label, sizes[0])
        self.setMinimumHeight(1)  # the type size follows the available height, not the reverse

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Set the largest type that fits; a number becomes smaller before its words are small."""
        super().resizeEvent(event)
        gaps = self._spacing * (len(self._columns) - 1)
        width = (self.width() - gaps) // max(1, len(self._columns))
        large = [size for size in self._sizes if size >= theme.TITLE]
        sizes = [(figure, caption_size) for figure in _FIGURE_SIZES for caption_size in large]
        sizes += [
            (_FIGURE_SIZES[-1], caption_size)
            for caption_size in self._sizes
            if caption_size < theme.TITLE
        ]
        for figure, caption_size in sizes:
            for heading, label in self._columns:
                theme.set_font_size(label, caption_size)
                if isinstance(heading, LargeNumberLabel):
                    heading.fit(figure, width)
            if self._get_height(width) <= self.height():
                break
        self._align_pictures(width)

    def _align_pictures(self, width: int) -> None:
        """Set the height of all pictures to the space above the longest words below them."""
        pictures = [heading for heading, _ in self._columns if heading.hasHeightForWidth()]
        if pictures:
            text_height = max(label.heightForWidth(width) for _, label in self._columns)
            max_height = max(self.height() - self._heading_gap - text_height, self.height() // 4)
            for each in pictures:
                each.setFixedHeight(min(each.heightForWidth(width), max_height))

    def _get_height(self, width: int) -> int:
        def measure_height(each: QWidget) -> int:
            if isinstance(each, PixelPicture):  # at least half of the space
                return min(each.heightForWidth(width), self.height() // 2)
            wraps = each.hasHeightForWidth()
            return each.heightForWidth(width) if wraps else each.sizeHint().height()

        return max(
            (
                measure_height(heading) + self._heading_gap + measure_height(label)
                for heading, label in self._columns
            ),
            default=0,
        )


def make_numbers(entries: Sequence[LargeNumber]) -> QWidget:
    """Return large numbers side by side, each with its description."""
    values = [each.value for each in entries]
    columns = [
        (
            LargeNumberLabel(each.value, values),
            kit.label(capitalise(_make_unbreakable(each.description)), "muted", wrap=True),
        )
        for each in entries
    ]
    return _Columns(columns, _TYPE_SIZES, spacing=12 * GRID, between=GRID)


def make_headline(helper: Helper, subject: Subject) -> HeadlinePlot:
    """Return the large plot of the run, without its header."""
    plot = HeadlinePlot(helper)
    plot.header.hide()
    plot.setFocusPolicy(Qt.FocusPolicy.NoFocus)
    plot.redraw_requested.connect(plot.refresh, Qt.ConnectionType.QueuedConnection)
    plot.follow(subject)
    return plot


def make_scatter(data: ErrorsData, sentences: QWidget) -> QWidget:
    """Return the large plot of predicted against true numbers, with its description beside it."""
    figure = StaticFigure()
    figure.canvas.setFocusPolicy(Qt.FocusPolicy.NoFocus)
    figure.show_figure(
        add_half_band(SCATTER_VIEW.figure(data), data), translate(SCATTER_VIEW.title)
    )
    container = QWidget()
    kit.row((figure, 6), (sentences, 5), parent=container, spacing=6 * GRID)
    return container


class MemberBar(QWidget):
    """The bar of the members' weights, with all of their names."""

    def __init__(self, shares: tuple[MemberSegment, ...]) -> None:
        super().__init__()
        self.bar, self.legend = WeightBar(), Legend(theme.SLIDE_TITLE, in_grid=True)
        self.bar.show_shares(shares)
        self.legend.limit_rows(_MAX_LEGEND_ROWS)
        self.legend.show_entries(
            [LegendEntry(name, "square", ink) for name, ink in make_legend_entries(shares)]
        )
        self._gap = theme.pixels(_BAR_GAP)
        self._stack = kit.column(None, self.bar, self.legend, None, parent=self, spacing=self._gap)
        self.setMinimumHeight(1)  # the type size follows the available height, not the reverse

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Set the largest type in which all names fit; the bar shrinks before they do."""
        super().resizeEvent(event)
        self.legend.resize(self.width(), self.legend.height())
        for size in _TYPE_SIZES:
            self.legend.resize_type(size)
            available = self.height() - self.legend.height() - self._gap
            if self.legend.is_complete and available >= theme.pixels(_MIN_BAR_HEIGHT):
                break
        self.bar.setFixedHeight(max(1, min(theme.pixels(_BAR_HEIGHT), available)))
        self._stack.activate()


class Sentences(QWidget):
    """Stacked sentences without elision; the last ones are omitted to avoid small type.

    Args:
        texts: Each below its subject, which may be empty.
    """

    def __init__(self, texts: Sequence[tuple[str, str]]) -> None:
        super().__init__()
        self.lines: list[QWidget] = []
        self._labels: list[list[QLabel]] = []
        for subject, text in texts:
            parts = [(subject, "muted")] * bool(subject) + [(text, "")]
            labels = [kit.label(_make_unbreakable(each), role, wrap=True) for each, role in parts]
            self._labels.append(labels)
            line = QWidget()
            kit.column(*labels, parent=line, spacing=0)
            self.lines.append(line)
        self._gap = theme.pixels(_SENTENCE_SPACING)
        self._set_type_size(theme.SLIDE_TITLE)
        self._stack = kit.column(None, *self.lines, None, parent=self, spacing=self._gap)
        self.setMinimumHeight(1)  # hidden sentences must not enlarge the window

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Set the largest type that fits; small type only if no sentence fits otherwise."""
        super().resizeEvent(event)
        for size in _TYPE_SIZES:
            self._set_type_size(size)
            n_needed = len(self.lines) if size > theme.TITLE else 1
            if self._get_height(n_needed) <= self.height():
                break
        n_visible = len(self.lines)
        while n_visible > 1 and self._get_height(n_visible) > self.height():
            n_visible -= 1
        for index, line in enumerate(self.lines):
            line.setVisible(index < n_visible)
        self._stack.activate()

    def _set_type_size(self, size: int) -> None:
        """Set the sentences' type size; their subjects are one size smaller."""
        for labels in self._labels:
            for label in labels:
                is_subject = label is not labels[-1]
                smaller = min(_TYPE_SIZES.index(size) + 1, len(_TYPE_SIZES) - 1)
                theme.set_font_size(label, _TYPE_SIZES[smaller] if is_subject else size)

    def _get_height(self, count: int) -> int:
        """Return the height of the first sentences at the current width."""
        labels = [label for each in self._labels[:count] for label in each]
        heights = (label.heightForWidth(self.width()) for label in labels)
        return sum(heights) + (count + 1) * self._gap


def make_rows(outvoted: Sequence[OutvotedRow]) -> QWidget:
    """Return rows in large type, stacked or in columns below their pictures."""
    if any(each.pixels is None for each in outvoted):
        return Sentences(
            [(each.values, f"{each.truth} {each.dissent}".strip()) for each in outvoted]
        )
    columns = []
    for each in outvoted:
        assert each.pixels is not None, "all have a picture"
        # One sentence per line, as the columns are narrow.
        line = kit.label(_make_unbreakable(each.truth + "\n" + each.dissent), wrap=True)
        columns.append((PixelPicture(each.pixels), line))
    return _Columns(columns, _TYPE_SIZES[1:], spacing=3 * GRID, between=2 * GRID)


class PixelPicture(QWidget):
    """A sharp square picture of pixels (height, width), uint8, in shades of the text's colour."""

    def __init__(self, pixels: AnyArray) -> None:
        super().__init__()
        height, width = pixels.shape
        data = np.ascontiguousarray(pixels).tobytes()
        image = QImage(data, width, height, width, QImage.Format.Format_Indexed8)
        tokens = theme.current()
        end_colours = [theme.colour(each) for each in (tokens.raised, tokens.text)]
        low, high = ([each.redF(), each.greenF(), each.blueF()] for each in end_colours)
        shades = np.linspace(low, high, 256)
        image.setColorTable([QColor.fromRgbF(*shade).rgb() for shade in shades.tolist()])
        self._image = image.copy()  # the buffer is freed on return
        policy = QSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Preferred)
        policy.setHeightForWidth(True)
        self.setSizePolicy(policy)
        self.setMinimumSize(width, height)

    def hasHeightForWidth(self) -> bool:
        return True

    def heightForWidth(self, width: int) -> int:
        return (
            min(width, theme.pixels(_MAX_PICTURE_WIDTH))
            * self._image.height()
            // self._image.width()
        )

    def sizeHint(self) -> QSize:
        width = theme.pixels(_MAX_PICTURE_WIDTH)
        return QSize(width, self.heightForWidth(width))

    def paintEvent(self, event: QPaintEvent) -> None:
        del event
        size = self._image.size().scaled(self.size(), Qt.AspectRatioMode.KeepAspectRatio)
        painter = QPainter(self)
        painter.drawImage(QRect(QPoint(0, 0), size), self._image)
        painter.end()
