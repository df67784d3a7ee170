"""What a recording has shown, said at its end; the figures are kept in its document."""

from dataclasses import dataclass

from studio.gui.base.language import grouped, number, tr

NOTE = "recording"
"""Under this name the document of a recording keeps its :class:`RecordingShown`."""


@dataclass(frozen=True)
class Together:
    """Errors of two runs of the same budget on the same test rows.

    Attributes
    ----------
    trials, rows : int
        The budget of each run, and the test rows.
    single, ensemble : int
        Rows that the best model of one run, and the ensemble of the other, got wrong.
    members : int
        Models in the ensemble.
    corrected, made : int
        Rows on which the vote is right and the best model of its run wrong, and the reverse.
    seed, seeds, ahead : int
        The seed of the recording, how many were tried, and with how many the ensemble was ahead.
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
class SurrogateLearned:
    """How far a surrogate's predictions were from what was then observed.

    Attributes
    ----------
    trials : int
        The run's trials.
    early, late : float
        Median distance of prediction and observed loss, in the first and second half of the
        predicted trials.
    """

    trials: int
    early: float
    late: float


@dataclass(frozen=True)
class RecordingShown:
    """What a recording has shown: one of the two."""

    together: Together | None = None
    learned: SurrogateLearned | None = None


def shown_words(shown: RecordingShown) -> str:
    """Say what a recording has shown, and why; empty where nothing is kept."""
    if shown.together is not None:
        return _together(shown.together)
    return "" if shown.learned is None else _learned(shown.learned)


def _together(found: Together) -> str:
    return " ".join(
        (
            tr(
                "After {trials} trials each, on {rows} test rows: the best single model is wrong "
                "for {single}, the ensemble for {ensemble}.",
                trials=grouped(found.trials),
                rows=grouped(found.rows),
                single=grouped(found.single),
                ensemble=grouped(found.ensemble),
            ),
            tr(
                "Why: its {members} members err on different rows. Voting corrected {corrected} "
                "errors of its best model and made {new} new ones.",
                members=grouped(found.members),
                corrected=grouped(found.corrected),
                new=grouped(found.made),
            ),
            tr(
                "(The median of {seeds} seeds; the ensemble was ahead with {ahead}.)",
                seeds=grouped(found.seeds),
                ahead=grouped(found.ahead),
            ),
        )
    )


def _learned(found: SurrogateLearned) -> str:
    return tr(
        "After {trials} trials: the surrogate's predictions were off by {early} in the first half "
        "of the search, and by {late} in the second (medians).",
        trials=grouped(found.trials),
        early=number(found.early, ".2g"),
        late=number(found.late, ".2g"),
    )
