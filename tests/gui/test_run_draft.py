"""The run draft."""

import json

import pytest

from studio.data.splits import SplitPlan
from studio.data.tasks import TASKS, Task
from studio.gui.drafts.run_draft import RunDraft
from studio.proposers.presets import get_default
from studio.runs.settings import RunSettings

PLAN = SplitPlan()


def iter_settings(draft: RunDraft, task: Task = "binary", *, advised: bool = True) -> RunSettings:
    return draft.make_settings(task, None, PLAN, advised)


@pytest.mark.parametrize("task", TASKS)
def test_new_draft_has_default_method_and_split(task: Task) -> None:
    settings = iter_settings(RunDraft(), task)
    assert settings.method == get_default(task) == "best"
    assert (settings.budget, settings.seconds) == (None, 60.0)
    assert settings.advised
    assert not settings.refit
    assert settings.list_problems() == []


def test_custom_split_keeps_default_refit() -> None:
    settings = iter_settings(RunDraft(), advised=False)
    assert not settings.advised
    assert not settings.refit


def test_custom_refit_keeps_automatic_split() -> None:
    settings = iter_settings(RunDraft(refit=True))
    assert settings.refit
    assert settings.advised


def test_other_methods_keep_split_and_refit() -> None:
    settings = iter_settings(RunDraft(method="EO-sqm"))
    assert not settings.advised
    assert settings.plan == SplitPlan()
    assert settings.refit


def test_draft_round_trips_through_document() -> None:
    draft = RunDraft(method="RS", overrides={"surrogate.samples": 4}, seconds=9.5, budget=None)
    assert RunDraft.from_json(json.loads(json.dumps(draft.to_json()))) == draft


def test_old_draft_keeps_values() -> None:
    draft = RunDraft.from_json({"method": None, "budget": 60, "seconds": None, "refit": True})
    settings = iter_settings(draft)
    assert (settings.budget, settings.seconds, settings.refit) == (60, None, True)
