"""The shipped recordings match their descriptions."""

import json
from functools import partial

import numpy as np
import pytest

from studio.analysis.loss_difference import MAY_BE_CHANCE, describe_loss_difference
from studio.assets import RESOURCES
from studio.data.samples import Recording, Sample, list_recordings, list_samples
from studio.document import shapes
from studio.document.store import Document
from studio.figures.shapes import Box, Dot, TextLabel
from studio.gui.pages.welcome.pictures import draw_run, draw_sample
from studio.gui.shell.bars.replay_bar import (
    SUMMARY_KEY,
    RecordingSummary,
    RunComparison,
    describe_recording,
)
from tests.facts import contains_facts

LARGEST_BYTES = 3 << 20


@pytest.mark.parametrize("recording", list_recordings(), ids=lambda each: each.key)
def test_recording_is_small_and_has_summary(recording: Recording) -> None:
    path = recording.path
    assert path.stat().st_size < LARGEST_BYTES
    with Document.open(path, writable=False) as document:
        summary = document.notes.read_value(SUMMARY_KEY, partial(shapes.pick, RecordingSummary))
        assert summary is not None
        assert describe_recording(summary)
        if summary.together is not None:
            assert_counts(summary.together, document)


def test_welcome_miniature_matches_recording() -> None:
    curves = json.loads((RESOURCES / "recordings" / "miniature.json").read_text(encoding="utf-8"))
    with Document.open(list_recordings()[0].path, writable=False) as document:
        iterations = document.trials.list_iterations(document.runs.list_all()[1].id)
    for name, curve in curves.items():
        assert curve == [getattr(each, name) for each in iterations]
    ends = [each.text for each in draw_run(400.0, 124.0).shapes if isinstance(each, TextLabel)]
    assert ends == ["best model, test 3.8 %", "ensemble, test 2.8 %"]
    assert all(name.endswith("_test") for name in curves), "the same rows for both"


@pytest.mark.parametrize("sample", list_samples(), ids=lambda each: each.key)
def test_samples_have_images(sample: Sample) -> None:
    picture = draw_sample(sample, 76.0)
    assert len(picture.shapes) > 100
    for shape in picture.shapes:
        assert isinstance(shape, Box | Dot)
        assert 0 <= shape.x <= picture.width and 0 <= shape.y <= picture.height


def assert_counts(comparison: RunComparison, document: Document) -> None:
    """Compare the description with the two runs' results on the same rows."""
    single, ensemble = document.runs.list_all()
    rows = [document.runs.split(row.id)["test"] for row in (single, ensemble)]
    assert np.array_equal(*rows)
    results = [row.result for row in (single, ensemble)]
    assert {result.test_rows for result in results} == {comparison.rows}
    assert results[0].test_error_single * comparison.rows == pytest.approx(comparison.single)
    assert results[1].test_error_ensemble * comparison.rows == pytest.approx(comparison.ensemble)
    best = results[1].test_error_single * comparison.rows
    assert best - comparison.corrected + comparison.made == pytest.approx(comparison.ensemble)
    assert {document.trials.count(row.id) for row in (single, ensemble)} == {comparison.trials}
    assert {row.settings["seed"] for row in (single, ensemble)} == {comparison.seed}
    assert len(results[1].members) == comparison.members
    # The banner and the Results page use the same interval and draw the same conclusion.
    assert comparison.difference == pytest.approx(results[1].difference_interval)
    text = describe_recording(RecordingSummary(together=comparison))[0]
    assert (
        describe_loss_difference(results[1].difference_interval, is_same_model=False)
        == MAY_BE_CHANCE
    )
    assert "may be chance" in text


def test_replay_summary_contains_winner() -> None:
    comparison = RunComparison(
        80, 719, 27, 20, 12, 9, 2, seed=3, seeds=5, ahead=4, difference=(-0.02, 0.001)
    )
    text = " ".join(describe_recording(RecordingSummary(together=comparison)))
    assert contains_facts(
        text, "wrong for 27 (3.8 %)", "ensemble for 20 (2.8 %)", "9 errors", "2 new"
    )
    # "Best single" is the ensemble's own best single model, as in the plots.
    assert text.count("best single") == 1
    assert text.index("best single") > text.index("9 errors")
    assert "ahead in 4" in text
    assert describe_recording(RecordingSummary()) == ()


def test_recorded_surrogate_run_uses_error_rate() -> None:
    path = list_recordings()[1].path
    with Document.open(path, writable=False) as document:
        (row,) = document.runs.list_all()
        summary = document.notes.read_value(SUMMARY_KEY, partial(shapes.pick, RecordingSummary))
    assert row.settings["metric"] == "error", "they predict no probabilities"
    assert summary is not None and "percentage points" in describe_recording(summary)[0]
