"""Bar above a page during playback: the recording's name, its final result, and exit."""

from dataclasses import dataclass
from functools import partial

from PySide6.QtCore import QEvent, QRect, Qt
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QFrame, QSizePolicy

from studio.analysis.loss_difference import MAY_BE_CHANCE, describe_loss_difference
from studio.document import shapes
from studio.gui.base.theme import GRID
from studio.gui.session.session import Session
from studio.gui.widgets import kit
from studio.language import N_, format_share, group_digits, tr, translate
from studio.measure import Measure

SUMMARY_KEY = "recording"
"""Key of a recording's :class:`RecordingSummary` in the document."""


@dataclass(frozen=True)
class RunComparison:
    """Errors of two runs with the same budget and test rows.

    Attributes:
        single, ensemble: Numbers of wrong rows of the best model of the document's first run, and
            of the ensemble of its second run.
        corrected, made: Rows that the vote predicts correctly and the best model of its run does
            not, and the reverse.
        difference: 95 % interval of the difference in test error, ensemble minus best model.
        seed, seeds, ahead: The recording's seed, the number of seeds tried, and the number with the
            ensemble ahead.
    """

    trials: int
    rows: int
    single: int
    ensemble: int
    members: int
    corrected: int
    made: int
    seed: int
    seeds: int
    ahead: int
    difference: tuple[float, float] | None = None


@dataclass(frozen=True)
class SurrogateSummary:
    """Mean distance of a surrogate's predictions from the observed losses.

    Attributes:
        early, late: Median distance between predicted and observed loss, in the first and second
            half of the predicted trials.
        unit: Of the losses; "%" for shares.
    """

    trials: int
    early: float
    late: float
    unit: str = ""


@dataclass(frozen=True)
class RecordingSummary:
    """Content of a recording: exactly one of the two summaries."""

    together: RunComparison | None = None
    learned: SurrogateSummary | None = None


def describe_what_to_watch(summary: RecordingSummary) -> tuple[str, ...]:
    """Return what to watch during a recording; empty without a summary."""
    if summary.learned is not None:
        return (
            tr("Blue: the error expected for settings not tried yet; dots: errors observed."),
            tr("The next trial goes where a low error is expected or little is known."),
        )
    if summary.together is None:
        return ()
    return (tr("Watch the dashed lines: the errors on test rows, which the search never sees."),)


def describe_recording(summary: RecordingSummary) -> tuple[str, ...]:
    """Summarise a recording's main result, then the reasons; empty if no summary is stored."""
    if summary.together is not None:
        return _describe_comparison(summary.together)
    return () if summary.learned is None else (_describe_surrogate(summary.learned),)


def _describe_comparison(comparison: RunComparison) -> tuple[str, ...]:
    difference_text = describe_loss_difference(comparison.difference, is_same_model=False)
    # Its first half suffices, and always fits.
    brief = (
        tr("The difference may be chance.")
        if difference_text == MAY_BE_CHANCE
        else translate(difference_text)
    )
    return (
        tr(
            "On {rows} test rows after {trials} trials each: one model is wrong for {single} "
            "({single_share}), the ensemble for {ensemble} ({ensemble_share}).",
            trials=group_digits(comparison.trials),
            rows=group_digits(comparison.rows),
            single=group_digits(comparison.single),
            single_share=format_share(comparison.single / comparison.rows),
            ensemble=group_digits(comparison.ensemble),
            ensemble_share=format_share(comparison.ensemble / comparison.rows),
        )
        + f" {brief}",
        tr(
            "Its {members} members err on different rows. Voting corrected {corrected} errors of "
            "its best single model and made {new} new ones.",
            members=group_digits(comparison.members),
            corrected=group_digits(comparison.corrected),
            new=group_digits(comparison.made),
        ),
        tr(
            "This is the median of {seeds} runs with different seeds; the ensemble was ahead "
            "in {ahead}.",
            seeds=group_digits(comparison.seeds),
            ahead=group_digits(comparison.ahead),
        ),
    )


def _describe_surrogate(surrogate: SurrogateSummary) -> str:
    measure = Measure(unit=surrogate.unit)
    text = (
        N_(
            "After {trials} trials: expected and observed errors differed by {early} in the first "
            "half of the search, and by only {late} in the second (medians): it has learned what "
            "to expect."
        )
        if surrogate.late < surrogate.early
        else N_(
            "After {trials} trials: expected and observed errors differed by {early} in the first "
            "half of the search, and by {late} in the second (medians)."
        )
    )
    return tr(
        text,
        trials=group_digits(surrogate.trials),
        early=measure.format_difference(surrogate.early),
        late=measure.format_difference(surrogate.late),
    )


_N_LINES = 2
"""Lines of the bar, constant so that nothing below moves when a recording ends."""


class ReplayBar(QFrame):
    """Indicates a playback, and ends it; the time slider controls it.

    Sentences about the recording's result that do not fit are shown on demand.
    """

    def __init__(self, session: Session) -> None:
        super().__init__()
        self.setProperty("role", "banner")
        self._session = session
        self._sentences: tuple[str, ...] = ()
        self._text_label = kit.label("", wrap=True)
        self._text_label.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred)
        self.more_button = kit.button(
            tr("Why?"), self._show_all, kind="quiet", tip=tr("Show the reasons too")
        )
        self._is_expanded = self._is_playing = False
        text = tr("End the recording")
        self.end_button = kit.button(
            text, session.stop_playing, kind="quiet", tip=tr("Show the document's complete runs")
        )
        kit.row(
            (self._text_label, 1),
            self.more_button,
            self.end_button,
            parent=self,
            spacing=None,
            margin=(2 * GRID, GRID // 2, GRID, GRID // 2),
        )
        session.following.playback_changed.connect(self._show)
        session.document_changed.connect(self._show)
        self._show()

    def _show(self) -> None:
        playback = self._session.following.playback
        self.setVisible(playback is not None)
        if playback is None:
            return
        names = ", ".join(view.name for view in self._session.runs.views)
        summary = (
            self._session.read_value(SUMMARY_KEY, partial(shapes.pick, RecordingSummary))
            or RecordingSummary()
        )
        if playback.is_finished:
            sentences = describe_recording(summary) or (
                tr("The recording is over: {runs}.", runs=names),
            )
        else:
            watch = describe_what_to_watch(summary)
            sentences = (
                (*watch, tr("Playing a recording; nothing is computed."))
                if watch
                else (tr("Playing a recording; nothing is computed: {runs}.", runs=names),)
            )
        self._is_playing = not playback.is_finished
        if sentences != self._sentences:
            self._sentences, self._is_expanded = sentences, False
        self._fit_sentences()

    @property
    def text(self) -> str:
        """The visible sentences."""
        return self._text_label.text()

    def _show_all(self) -> None:
        self._is_expanded = True
        self._fit_sentences()

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Show as many sentences as fit."""
        super().resizeEvent(event)
        self._fit_sentences()

    def changeEvent(self, event: QEvent) -> None:
        """Update the height for another size of type."""
        super().changeEvent(event)
        if event.type() in (QEvent.Type.FontChange, QEvent.Type.StyleChange):
            self._fit_sentences()

    def _fit_sentences(self) -> None:
        """Show the first sentences that fit in two lines, or all on demand."""
        count = len(self._sentences)
        metrics = self._text_label.fontMetrics()
        max_height = _N_LINES * metrics.lineSpacing()
        self._text_label.setMinimumHeight(max_height)
        button_width = self.end_button.sizeHint().width() + 6 * GRID

        def measure_height(sentences: int, reserved: int) -> int:
            area = QRect(0, 0, max(1, self.width() - button_width - reserved), 10_000)
            text = " ".join(self._sentences[:sentences])
            return metrics.boundingRect(area, Qt.TextFlag.TextWordWrap, text).height()

        fitting = count
        if not self._is_expanded and measure_height(count, 0) > max_height:
            button = 0 if self._is_playing else self.more_button.sizeHint().width() + GRID
            fits = (n for n in range(count - 1, 1, -1) if measure_height(n, button) <= max_height)
            fitting = next(fits, 1)
        self.more_button.setVisible(fitting < count and not self._is_playing)
        self._text_label.setText(" ".join(self._sentences[:fitting]))
