"""The Welcome page: samples, files, and the last document."""

from functools import partial
from pathlib import Path

from PySide6.QtCore import QRectF, QSize, Qt, QVariantAnimation, Signal
from PySide6.QtGui import (
    QHideEvent,
    QKeyEvent,
    QMouseEvent,
    QPainter,
    QPaintEvent,
    QPen,
    QResizeEvent,
    QShowEvent,
)
from PySide6.QtWidgets import QBoxLayout, QFrame, QPushButton, QWidget

from studio.data.samples import Sample, list_recordings, list_samples
from studio.gui.base import icons, motion, theme, user_paths
from studio.gui.base.localisation import format_datetime
from studio.gui.base.theme import GRID
from studio.gui.widgets import kit
from studio.gui.widgets.diagram_view import DrawnDiagram
from studio.language import tr, translate

_ANIMATION_MS = 1500
"""Duration of the animation; unused if the user prefers no motion."""

_MINIATURE_HEIGHT = 124
"""Height of the drawing at a scale of 1."""


class RunAnimation(DrawnDiagram):
    """Animation of a recorded run, started after :meth:`draw`."""

    def __init__(self) -> None:
        super().__init__(translated=True)
        self._progress = 1.0
        self._motion = QVariantAnimation(self)
        self._motion.setDuration(_ANIMATION_MS)
        self._motion.setStartValue(0.05)
        self._motion.setEndValue(1.0)
        self._motion.valueChanged.connect(self._show_progress)

    def draw(self) -> None:
        """Load the animation, whose code is only imported once the window is visible."""
        from studio.gui.pages.welcome.pictures import draw_run

        self.show_diagram(
            lambda width: draw_run(width, _MINIATURE_HEIGHT, self._progress),
            tr("The result: errors of the best model and of the ensemble during a run"),
        )

    def sizeHint(self) -> QSize:
        """Reserve the height from the start, before drawing and at any type size."""
        return QSize(super().sizeHint().width(), theme.pixels(_MINIATURE_HEIGHT))

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        if motion.get_duration(self):
            self._motion.start()

    def hideEvent(self, event: QHideEvent) -> None:
        """Pause the animation while the page is hidden."""
        super().hideEvent(event)
        self._motion.stop()
        self._progress = 1.0

    def _show_progress(self, progress: float) -> None:
        self._progress = progress
        self.update()


_ICON_SIZE = 36


class DropArea(QFrame):
    """A dashed drop zone for a table; a click opens the file dialog."""

    pressed = Signal()

    def __init__(self) -> None:
        super().__init__()
        self.setMinimumHeight(176)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        self.setAccessibleName(tr("Open a table"))
        self.setToolTip(tr("CSV or TSV, also compressed (.gz or .zip); Excel and Parquet"))
        self._heading = heading = kit.label(tr("Drop a table here"), "section")
        heading.setAlignment(Qt.AlignmentFlag.AlignCenter)
        text = tr("CSV, TSV, Excel or Parquet – or click to choose a file")
        hint = kit.label(text, "muted", wrap=True)
        hint.setAlignment(Qt.AlignmentFlag.AlignCenter)
        kit.column(None, 6 * GRID, heading, hint, None, parent=self, spacing=None, margin=None)

    def paintEvent(self, event: QPaintEvent) -> None:
        tokens = theme.current()
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        active = self.hasFocus() or self.underMouse()
        pen = QPen(theme.colour(tokens.accent if active else tokens.border), 1.5)
        pen.setDashPattern([4, 3])
        painter.setPen(pen)
        painter.setBrush(theme.colour(tokens.accent_soft if active else tokens.surface))
        painter.drawRoundedRect(QRectF(self.rect()).adjusted(1, 1, -1, -1), theme.CARD, theme.CARD)
        size, top = _ICON_SIZE, self._heading.y() - _ICON_SIZE - GRID // 2
        picture = icons.make_pixmap("data", tokens.accent, size, self.devicePixelRatioF())
        painter.drawPixmap((self.width() - size) // 2, top, picture)
        painter.end()

    def enterEvent(self, event: object) -> None:
        self.update()

    def leaveEvent(self, event: object) -> None:
        self.update()

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        self.pressed.emit()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Open the file dialog on Return and Space."""
        if event.key() in {Qt.Key.Key_Return, Qt.Key.Key_Enter, Qt.Key.Key_Space}:
            self.pressed.emit()
        else:
            super().keyPressEvent(event)


_PICTURE_SIZE = 76
"""Size of a sample's picture at a scale of 1."""


class SamplePicture(DrawnDiagram):
    """Picture of a sample's rows, drawn after :meth:`draw`."""

    def __init__(self, sample: Sample) -> None:
        super().__init__()
        self._sample = sample
        theme.get_notifier().changed.connect(self._fit)
        self._fit()

    def _fit(self) -> None:
        """Set the size for the current scale."""
        self.setFixedSize(theme.pixels(_PICTURE_SIZE), theme.pixels(_PICTURE_SIZE))

    def draw(self) -> None:
        """Load the picture, whose code is only imported once the window is visible."""
        from studio.gui.pages.welcome.pictures import draw_sample

        picture = draw_sample(self._sample, _PICTURE_SIZE)
        self.show_diagram(lambda _: picture, translate(self._sample.title))


_WIDTH, _MIN_PICTURE_WIDTH, _MIN_ROW_WIDTH = 1120, 900, 760
"""Maximum width of the page, and minimum widths for the picture of a run and for samples beside one
another, in pixels at a scale of 1.
"""

_RECENT_WIDTH, _MAX_RECENT = 250, 4
"""Minimum width of a recent document at a scale of 1, and the maximum number of them."""

_EMPTY_LINE = "\N{NO-BREAK SPACE}"
"""Makes the hint as high as the cards of documents."""


class WelcomePage(QWidget):
    """Shows a drop zone, a recording, a guide, samples and recent documents."""

    sample_chosen = Signal(object)
    recording_requested = Signal(object)
    guide_requested = Signal()
    table_requested = Signal()
    document_requested = Signal()
    compare_page_requested = Signal()
    recent_chosen = Signal(Path)

    def __init__(self) -> None:
        super().__init__()
        self.setProperty("role", "page")
        self.recordings: list[QPushButton] = []
        self._recording_titles: tuple[str, ...] = ()
        self.recent_cards: list[QWidget] = []
        self._pictures: list[SamplePicture] = []
        self._body = QWidget()
        column = kit.column(parent=self._body, margin=3 * GRID)
        column.addStretch(2)
        column.addWidget(kit.label("Ensemble Studio", "title"))
        tagline = tr("From a table to a set of models that predict better together.")
        column.addWidget(kit.label(tagline, "muted", wrap=True))
        column.addSpacing(3 * GRID)
        self.drop_area = DropArea()
        self.drop_area.pressed.connect(self.table_requested)
        first = kit.row((self.drop_area, 2), (self._build_first_steps(), 3), spacing=2 * GRID)
        column.addLayout(first)
        column.addSpacing(3 * GRID)
        column.addWidget(self._build_recent())
        column.addSpacing(GRID)
        column.addWidget(kit.label(tr("Or try a sample"), "section"))
        cards = ((self._make_sample_card(sample), 1) for sample in list_samples())
        self._samples = kit.row(*cards, spacing=2 * GRID)
        column.addLayout(self._samples)
        column.addSpacing(2 * GRID)
        column.addWidget(self._build_compare())
        column.addStretch(3)
        container = QWidget()
        kit.row(None, (self._body, 100), None, parent=container, spacing=None)
        kit.column(kit.scroll_area(container), parent=self, spacing=None)
        theme.get_notifier().changed.connect(self._fit)
        self.refresh()

    def _build_recent(self) -> QWidget:
        """Build the row of recent documents, of the same height for any number of them."""
        heading = kit.row(
            kit.label(tr("Continue where you left off"), "section"),
            None,
            kit.button(
                tr("Open a document…"),
                self.document_requested.emit,
                kind="link",
                tip=tr("Open a .studio file"),
            ),
        )
        self._recent = kit.row(spacing=2 * GRID)
        documents = QWidget()
        kit.column(heading, self._recent, parent=documents, margin=(0, 0, 0, 2 * GRID))
        return documents

    def draw_pictures(self) -> None:
        """Draw the pictures, once the window is visible."""
        self._miniature.draw()
        for picture in self._pictures:
            picture.draw()

    def _build_first_steps(self) -> QWidget:
        text = tr("See in a minute why several models together can beat the best one.")
        column = kit.column(
            kit.label(tr("New here?"), "section"), kit.label(text, "muted", wrap=True), None
        )
        recordings = list_recordings()
        self._recording_titles = tuple(translate(each.title) for each in recordings)
        for title, recording in zip(self._recording_titles, recordings, strict=True):
            button = kit.button(
                title,
                partial(self.recording_requested.emit, recording),
                icon="play",
                tip=translate(recording.summary),
                name=tr("Watch a recording: {title}", title=title),
            )
            self.recordings.append(button)
            column.addWidget(button)
        self.guide_button = kit.button(
            tr("Show me around"),
            self.guide_requested.emit,
            icon="info",
            tip=tr("A first run on a sample, step by step"),
        )
        column.addWidget(self.guide_button)
        self._result, self._miniature = QWidget(), RunAnimation()
        kit.column(
            None,
            self._miniature,
            kit.label(tr("A run on the handwritten digits: its error falls"), "small", wrap=True),
            None,
            parent=self._result,
            spacing=GRID // 2,
        )
        return kit.make_card(kit.row((self._result, 4), (column, 3), spacing=3 * GRID))

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit()

    def _fit(self) -> None:
        """Hide the picture of a run, and stack samples, where they would be too narrow."""
        self._body.setMaximumWidth(theme.pixels(_WIDTH))
        self._result.setVisible(self.width() >= theme.pixels(_MIN_PICTURE_WIDTH))
        is_wide = self.width() >= theme.pixels(_MIN_ROW_WIDTH)
        directions = QBoxLayout.Direction
        self._samples.setDirection(directions.LeftToRight if is_wide else directions.TopToBottom)
        n_columns = min(max(self.width() // theme.pixels(_RECENT_WIDTH), 1), _MAX_RECENT)
        for position, card in enumerate(self.recent_cards):
            card.setVisible(position < n_columns)

    def _build_compare(self) -> QWidget:
        text = tr("Which method suits your data sets best? Every method runs on every table.")
        self.compare_button = kit.button(
            tr("Compare methods…"),
            self.compare_page_requested.emit,
            icon="compare",
            tip=tr("Run methods on several data sets, with repetitions, ranks and tests (a study)"),
        )
        column = kit.column(
            kit.label(tr("Compare methods on your data sets"), "section"),
            kit.label(text, "muted", wrap=True),
            spacing=GRID // 2,
        )
        line = kit.row((column, 1), self.compare_button, spacing=2 * GRID)
        return kit.make_card(line)

    def showEvent(self, event: QShowEvent) -> None:
        """Scroll to the top."""
        super().showEvent(event)
        kit.scroll_to_top(self)

    def refresh(self) -> None:
        """Reread the list of recent documents."""
        kit.clear(self._recent)
        # Recordings are above; they leave the places to the user's documents.
        documents = sorted(user_paths.get_recent(), key=self._is_recording)[:_MAX_RECENT]
        if not documents:
            texts = (
                kit.label(tr("Recently opened documents appear here."), "muted", wrap=True),
                kit.label(tr("Everything is saved automatically."), "small", wrap=True),
                kit.label(_EMPTY_LINE, "small"),
            )
            hint = kit.make_card(kit.column(*texts, spacing=GRID // 2))
            self._recent.addWidget(hint)
        self.recent_cards = [self._make_recent_card(path) for path in documents]
        for card in self.recent_cards:
            self._recent.addWidget(card, 1)
        self._fit()

    def _make_sample_card(self, sample: Sample) -> QWidget:
        title = translate(sample.title)
        picture = SamplePicture(sample)
        self._pictures.append(picture)
        open_button = kit.button(
            tr("Open"),
            lambda: self.sample_chosen.emit(sample),
            tip=tr("Open {file}; predict {target}", file=sample.path.name, target=sample.target),
            name=tr("Open the sample {title}", title=title),
        )
        text_column = kit.column(
            kit.label(title, "section", wrap=True),
            kit.label(translate(sample.summary), "muted", wrap=True),
            GRID,
            None,
            kit.row(open_button, None),
            spacing=GRID // 2,
        )
        top = Qt.AlignmentFlag.AlignTop
        return kit.make_card(kit.row((picture, 0, top), (text_column, 1), spacing=2 * GRID))

    def _is_recording(self, path: Path) -> bool:
        """Whether a document is the copy of a recording, by its name."""
        return user_paths.is_untitled(path) and path.stem.startswith(self._recording_titles)

    def _make_recent_card(self, path: Path) -> QWidget:
        location = tr("saved automatically") if user_paths.is_untitled(path) else str(path.parent)
        name = kit.ElidedLabel(path.stem)
        theme.set_font_size(name, theme.BODY, bold=True)
        saved_at = kit.ElidedLabel(format_datetime(path.stat().st_mtime), "small")
        details = kit.ElidedLabel(location, "small")
        column = kit.column(name, saved_at, details, spacing=GRID // 2)
        line = kit.row(
            (column, 1),
            kit.button(
                tr("Open"),
                lambda: self.recent_chosen.emit(path),
                tip=str(path),
                name=tr("Open {name}", name=path.stem),
            ),
            spacing=None,
        )
        return kit.make_card(line)
