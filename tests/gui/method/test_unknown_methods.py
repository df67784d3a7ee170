"""A draft whose method this version does not have: a visible choice, and nothing is lost."""

from types import SimpleNamespace

import pytest
from PySide6.QtCore import Qt
from pytestqt.qtbot import QtBot

from studio.gui.drafts.run_draft import RunDraft
from studio.gui.plots.base.header import Explanation
from studio.proposers.presets import get_default
from tests.facts import contains_facts
from tests.gui.method.test_composing import run_setup  # noqa: F401

FUTURE = "EO-future"


@pytest.mark.slow
@pytest.mark.parametrize("overrides", [{}, {"ensemble": "greedy"}, {"proposer": "from-future"}])
def test_form_shows_default_and_keeps_draft(
    overrides: dict[str, str],
    run_setup: SimpleNamespace,  # noqa: F811
    qtbot: QtBot,
) -> None:
    form, run = run_setup.form, run_setup.run
    default = get_default(run_setup.data.draft.resolved_task)
    run.change(method=FUTURE, overrides=overrides, seconds=33.0)
    assert form.unknown_label.isVisible()
    assert contains_facts(form.unknown_label.text(), FUTURE, default)
    assert form.methods.cards[default].isChecked()
    for chip in (form.from_parts, form.by_name):
        qtbot.mouseClick(chip, Qt.MouseButton.LeftButton)
    qtbot.mouseClick(form.bar.explain_button, Qt.MouseButton.LeftButton)
    (explanation,) = form.findChildren(Explanation)
    explanation.close()
    draft = run.draft
    assert (draft.method, dict(draft.overrides), draft.seconds) == (FUTURE, overrides, 33.0)
    settings = draft.make_settings("binary", None, run_setup.data.draft.plan)
    assert settings.method == get_default("binary")
    form.methods.search.setText("RS")
    qtbot.mouseClick(form.methods.cards["RS"], Qt.MouseButton.LeftButton)
    assert run.draft.method == "RS" and not form.unknown_label.isVisible()
    assert run.draft.seconds == 33.0
    run.history.undo()
    assert run.draft.method == FUTURE and form.unknown_label.isVisible()


def test_known_methods_are_not_unknown() -> None:
    assert RunDraft().unknown_method == "" == RunDraft(method="RS").unknown_method
    assert RunDraft(method=FUTURE).unknown_method == FUTURE
    assert RunDraft(method=FUTURE).get_method("regression") == get_default("regression")
