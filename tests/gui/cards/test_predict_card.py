"""The card of predictions: checked tables, and updates after decisions and refits."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from pytestqt.qtbot import QtBot

from studio.document.decision import Decision
from studio.errors import DataError
from studio.export.predictions import TablePredictions
from studio.gui.pages.results.who_first.stored_predictions import StoredPredictions
from studio.helper.predicted_rows import store_predictions
from studio.helper.tables import FileFit
from studio.phrases import phrase
from tests.facts import contains_facts
from tests.gui.cards.conftest import PREDICT, RESULT, ResultsCards

pytestmark = pytest.mark.slow


def test_table_is_checked_before_prediction(
    cards: ResultsCards, helper: Any, replace_program: Any, tmp_path: Path, qtbot: QtBot
) -> None:
    replace_program(PREDICT)
    card = cards.predict
    missing = FileFit(1234, ("2 of 9 columns are missing.",), shows_differences=True)
    helper.replaced["check_table"] = lambda arguments: missing
    assert not card.predict_button.isVisibleTo(cards)
    card.check(tmp_path / "new.csv")
    assert card.notes_label.text() == "Checking new.csv…"
    qtbot.waitUntil(lambda: card.predict_button.isVisibleTo(cards))
    assert helper.asked[-1][1]["path"] == str(tmp_path / "new.csv")
    assert contains_facts(card.notes_label.text(), "new.csv", f"• {missing.notes[0]}")
    assert card.predict_button.text() == "Predict 1,234 rows"
    with qtbot.waitSignal(card.predicted) as blocker:
        card.predict_button.click()
    (predictions,) = blocker.args
    assert predictions.rows.classes == ("no", "yes")
    assert predictions.rows.probabilities.tolist() == [[0.2, 0.8]]
    assert predictions.table == tmp_path / "new.csv"
    assert contains_facts(card.line.message_label.text(), "1 prediction", "“Who first?”")
    with qtbot.waitSignal(card.predicted) as blocker:
        card.check(tmp_path / "other.csv")
    assert blocker.args == [None], "those were of another table"
    assert not predictions.folder.exists()


def test_matching_table_is_predicted_immediately(
    cards: ResultsCards, helper: Any, replace_program: Any, tmp_path: Path, qtbot: QtBot
) -> None:
    replace_program(PREDICT)
    helper.replaced["check_table"] = lambda arguments: FileFit(3, ("1 column is not needed.",))
    assert cards.session.run_selection.run_id is not None
    cards.session.document.runs.set_result(
        cards.session.run_selection.run_id, replace(RESULT, kept_bytes=9)
    )
    cards.session.following.poll()
    cards.take()
    with qtbot.waitSignal(cards.predict.predicted):
        cards.predict.check(tmp_path / "new.csv")


@pytest.mark.parametrize("deciding", [("colour",), ()])
def test_impossible_forecast_is_not_confirmed(
    deciding: tuple[str, ...],
    cards: ResultsCards,
    helper: Any,
    replace_program: Any,
    tmp_path: Path,
    qtbot: QtBot,
) -> None:
    folder = tmp_path / "predicted"
    folder.mkdir()
    labels, shares = np.array(["yes"], dtype=object), np.array([[0.2, 0.8]])
    reason = phrase("No forecast, because of {listed}.", listed="colour")
    predictions = TablePredictions(
        labels, shares, ("no", "yes"), (), deciding_columns=deciding, no_estimate_reason=reason
    )
    store_predictions(predictions, folder)
    replace_program(PREDICT)
    helper.replaced["check_table"] = lambda arguments: FileFit(1)
    card = cards.predict
    card.check(tmp_path / "new.csv")
    qtbot.waitUntil(lambda: card.predict_button.isVisibleTo(cards))
    with qtbot.waitSignal(card.predicted):
        card.predict_button.click()
    text = card.line.message_label.text()
    assert ("✓" in text, reason in text) == (not deciding, bool(deciding))


def test_predictions_of_previous_run_are_dropped(
    cards: ResultsCards, helper: Any, replace_program: Any, tmp_path: Path, qtbot: QtBot
) -> None:
    replace_program(PREDICT)
    helper.replaced["check_table"] = lambda arguments: FileFit(3)
    card, session, emitted_predictions = cards.predict, cards.session, []
    card.predicted.connect(emitted_predictions.append)
    card.check(tmp_path / "new.csv")
    qtbot.waitUntil(lambda: card.predict_button.isVisibleTo(cards))
    card.predict_button.click()
    document = session.document
    other = document.runs.add("other", {"method": "EO-sqm", "budget": 1})
    document.runs.set_result(other, RESULT)
    document.runs.set_state(other, "finished")
    session.following.poll()
    session.run_selection.choose_run(other)
    cards.take()
    qtbot.waitUntil(lambda: not cards.job_tracker.is_busy)
    assert all(each is None for each in emitted_predictions)
    assert StoredPredictions.load(session, other) is None
    kept = StoredPredictions.load(session, 1)
    assert kept is not None and kept.table == str(tmp_path / "new.csv"), "repeated with its run"
    assert card.line.message_label.text() == ""


def test_stored_predictions_are_found_for_same_table(cards: ResultsCards) -> None:
    session, document = cards.session, cards.session.document
    first = session.run_selection.run_id
    assert first is not None
    settings = document.runs.get(first).settings
    second = document.runs.add("second", settings)
    third = document.runs.add("third", {**settings, "source": {"path": "other.csv"}})
    session.following.poll()
    record = StoredPredictions("new.csv", "a", count=7)
    record.store(session, first)
    assert StoredPredictions.load(session, second) is None
    assert StoredPredictions.find(session, second) == record
    assert StoredPredictions.find(session, third) is None


def test_unreadable_predictions_are_reported(
    cards: ResultsCards, helper: Any, replace_program: Any, tmp_path: Path, qtbot: QtBot
) -> None:
    replace_program('print(json.dumps({"rows": 1, "notes": []}))')
    helper.replaced["check_table"] = lambda arguments: FileFit(3)
    cards.predict.check(tmp_path / "new.csv")
    qtbot.waitUntil(lambda: cards.predict.predict_button.isVisibleTo(cards))
    cards.predict.predict_button.click()
    qtbot.waitUntil(lambda: "Predict again" in cards.predict.line.message_label.text())


def test_outdated_decision_removes_predictions(
    cards: ResultsCards, helper: Any, replace_program: Any, tmp_path: Path, qtbot: QtBot
) -> None:
    replace_program(PREDICT)
    card = cards.predict
    helper.replaced["check_table"] = lambda arguments: FileFit(3)
    card.check(tmp_path / "new.csv")
    qtbot.waitUntil(lambda: card.predict_button.isVisibleTo(cards))
    with qtbot.waitSignal(card.predicted):
        card.predict_button.click()
    cards.take()
    assert "under “Who first?”" in card.line.message_label.text(), "nothing was decided"
    assert cards.session.run_selection.run_id is not None
    with qtbot.waitSignal(card.predicted) as blocker:
        cards.session.decisions.store(cards.session.run_selection.run_id, Decision("yes", 0.2))
        cards.take()
    assert blocker.args == [None]
    assert "Predict again" in card.line.message_label.text()
    with qtbot.waitSignal(card.predicted):
        card.predict_button.click()


def test_predictions_are_updated_for_new_decision(
    cards: ResultsCards, helper: Any, replace_program: Any, tmp_path: Path, qtbot: QtBot
) -> None:
    replace_program(PREDICT)
    card, run_id = cards.predict, cards.session.run_selection.run_id
    assert run_id is not None
    helper.replaced["check_table"] = lambda arguments: FileFit(3)
    cards.session.document.runs.set_result(run_id, replace(RESULT, kept_bytes=9))
    cards.session.following.poll()
    cards.take()
    with qtbot.waitSignal(card.predicted) as first:
        card.check(tmp_path / "new.csv")
    with qtbot.waitSignal(card.predicted) as second:
        cards.session.decisions.store(run_id, Decision("yes", 0.2))
        cards.take()
        assert first.args[0].folder.exists(), "the rows stay until the new ones are there"
    assert second.args[0].is_repeated
    assert second.args[0].folder.exists() and not first.args[0].folder.exists()
    replace_program("sys.exit(3)")
    with qtbot.waitSignal(card.predicted) as third:
        cards.session.decisions.store(run_id, Decision("yes", 0.3))
        cards.take()
    assert third.args == [None], "labels of an earlier decision"


def test_predictions_are_updated_after_refit(
    cards: ResultsCards, helper: Any, replace_program: Any, tmp_path: Path, qtbot: QtBot
) -> None:
    replace_program(PREDICT)
    card, run_id = cards.predict, cards.session.run_selection.run_id
    assert run_id is not None
    helper.replaced["check_table"] = lambda arguments: FileFit(3)

    def set_result(**values: Any) -> None:
        cards.session.document.runs.set_result(run_id, replace(RESULT, **values))
        cards.session.following.poll()
        cards.take()

    card.check(tmp_path / "new.csv")
    qtbot.waitUntil(lambda: card.predict_button.isVisibleTo(cards))
    with qtbot.waitSignal(card.predicted) as first:
        card.predict_button.click()
    with qtbot.waitSignal(card.predicted) as second:
        set_result(refitted=True, kept_bytes=9)
        assert first.args[0].folder.exists(), "the rows stay until the new ones are there"
    assert second.args[0].is_repeated and not first.args[0].folder.exists()
    set_result(refitted=True, kept_bytes=9, seconds=3.0)
    assert not cards.job_tracker.is_busy, "the same ensemble"
    with qtbot.waitSignal(card.predicted) as third:
        set_result(trials=99, kept_bytes=0)
    assert third.args == [None]
    assert "models have changed" in card.line.message_label.text()
    assert card.predict_button.isVisibleTo(cards)


def test_unsuitable_table_is_rejected_early(
    cards: ResultsCards, helper: Any, tmp_path: Path, qtbot: QtBot
) -> None:
    def refuse(arguments: dict[str, Any]) -> FileFit:
        raise DataError("It has none of the columns.")

    helper.replaced["check_table"] = refuse
    cards.predict.check(tmp_path / "new.csv")
    qtbot.waitUntil(lambda: "none of" in cards.predict.notes_label.text())
    assert not cards.predict.predict_button.isVisibleTo(cards)


def test_reply_for_previous_table_is_ignored(
    cards: ResultsCards, helper: Any, tmp_path: Path
) -> None:
    helper.holds_replies = True
    helper.replaced["check_table"] = lambda arguments: FileFit(1)
    cards.predict.check(tmp_path / "a.csv")
    cards.predict.check(tmp_path / "b.csv")
    helper.release()
    assert contains_facts(cards.predict.notes_label.text(), "All columns", "b.csv")
