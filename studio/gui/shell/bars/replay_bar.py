"""Bar above a page during playback: what is played, what it shows at its end, and exit."""

from dataclasses import dataclass
from functools import partial

from PySide6.QtWidgets import QFrame

from studio.document import shapes
from studio.gui.base.theme import GRID
from studio.gui.session.session import Session
from studio.gui.widgets import kit
from studio.language import group_digits, number, percent, tr

NOTE = "recording"
"""Key of a recording's :class:`RecordingSummary` in the document."""


@dataclass(frozen=True)
class RunComparison:
    """Errors of two runs with the same budget and test rows.

    Attributes:
        trials, rows: The budget of each run, and the test rows.
        single, ensemble: Wrong rows of the best model of one run, and of the ensemble of the other.
        members: Models in the ensemble.
        corrected, made: Rows on which the vote is right and the best model of its run wrong, and
            the reverse.
        seed, seeds, ahead: The recording's seed, the number of tried ones, and of those with the
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


@dataclass(frozen=True)
class SurrogateSummary:
    """Mean distance of a surrogate's predictions from the observed losses.

    Attributes:
        trials: The run's trials.
        early, late: Median distance of prediction and observed loss, in the first and second half
            of the predicted trials.
    """

    trials: int
    early: float
    late: float


@dataclass(frozen=True)
class RecordingSummary:
    """Content of a recording: one of the two."""

    together: RunComparison | None = None
    learned: SurrogateSummary | None = None


def describe_recorded_point(shown: RecordingSummary) -> str:
    """Summarise a recording's point, with the reason; empty if none is stored."""
    if shown.together is not None:
        return _describe_comparison(shown.together)
    return "" if shown.learned is None else _describe_surrogate(shown.learned)


def _describe_comparison(found: RunComparison) -> str:
    return " ".join(
        (
            tr(
                "After {trials} trials each, on {rows} test rows: the search for one model is "
                "wrong for {single} ({single_share}), the search for an ensemble for {ensemble} "
                "({ensemble_share}).",
                trials=group_digits(found.trials),
                rows=group_digits(found.rows),
                single=group_digits(found.single),
                single_share=percent(found.single / found.rows),
                ensemble=group_digits(found.ensemble),
                ensemble_share=percent(found.ensemble / found.rows),
            ),
            tr(
                "Why: its {members} members err on different rows. Voting corrected {corrected} "
                "errors of its own best single model and made {new} new ones.",
                members=group_digits(found.members),
                corrected=group_digits(found.corrected),
                new=group_digits(found.made),
            ),
            tr(
                "One run may be chance: of {seeds} with other seeds, of which this is the median, "
                "the ensemble was ahead in {ahead}.",
                seeds=group_digits(found.seeds),
                ahead=group_digits(found.ahead),
            ),
        )
    )


def _describe_surrogate(found: SurrogateSummary) -> str:
    return tr(
        "After {trials} trials: the surrogate's predictions were off by {early} in the first half "
        "of the search, and by {late} in the second (medians).",
        trials=group_digits(found.trials),
        early=number(found.early, ".2g"),
        late=number(found.late, ".2g"),
    )


class ReplayBar(QFrame):
    """Indicates playback without computation, and ends it; the time slider plays it."""

    def __init__(self, session: Session) -> None:
        super().__init__()
        self.setProperty("role", "banner")
        self._session = session
        self._text = kit.label("", wrap=True)
        self.end = kit.button(
            tr("End the recording"),
            session.stop_playing,
            kind="quiet",
            tip=tr("Show the complete runs, as they are in the document"),
        )
        kit.row(
            (self._text, 1),
            self.end,
            on=self,
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
        if playback.over:
            shown = (
                self._session.get_value(NOTE, partial(shapes.pick, RecordingSummary))
                or RecordingSummary()
            )
            text = describe_recorded_point(shown) or tr(
                "The recording is over: {runs}.", runs=names
            )
        else:
            text = tr("Playing a recording; nothing is computed: {runs}.", runs=names)
        self._text.setText(text)
