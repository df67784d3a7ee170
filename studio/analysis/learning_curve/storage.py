"""Storage of learning curves in the document, as they take minutes to compute."""

import dataclasses
from dataclasses import dataclass
from functools import partial

from studio.analysis.answers.learning_curve import LearningCurve, describe_forecast
from studio.document import shapes
from studio.document.notes import make_run_note_name
from studio.document.store import Document

_NAME = "learning_curve"


@dataclass(frozen=True)
class StoredCurve:
    """A stored learning curve with its creation time and the number of trials at that time."""

    trials: int
    curve: LearningCurve


def store_curve(document: Document, run_id: int, curve: LearningCurve) -> None:
    """Store a run's curve in its document, replacing an earlier one."""
    record = StoredCurve(document.trials.count(run_id), curve)
    document.notes.set(make_run_note_name(run_id, _NAME), dataclasses.asdict(record))


def load_curve(document: Document, run_id: int) -> LearningCurve | None:
    """Return the stored curve of a run in its current state; ``None`` without one.

    Its forecast is worded by this version, not by the one that stored it.
    """
    stored_curve = document.notes.read_value(
        make_run_note_name(run_id, _NAME), partial(shapes.pick, StoredCurve)
    )
    if stored_curve is None or stored_curve.trials != document.trials.count(run_id):
        return None
    curve = stored_curve.curve
    return dataclasses.replace(curve, sentence=describe_forecast(curve) or curve.sentence)
