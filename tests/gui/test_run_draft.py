"""The run draft."""

import json

import pytest

from studio.data.splits import SplitPlan
from studio.data.tasks import TASKS, Task
from studio.gui.drafts.run_draft import RunDraft
from studio.proposers.presets import default_for
from studio.runs.settings import RunSettings

PLAN = SplitPlan()


def settings_of(draft: RunDraft, task: Task = "binary", *, advised: bool = True) -> RunSettings:
    return draft.settings(task, None, PLAN, advised)


@pytest.mark.parametrize("task", TASKS)
def test_a_new_draft_is_the_default_method_for_a_minute_as_the_program_divides(task: Task) -> None:
    settings = settings_of(RunDraft(), task)
    assert settings.method == default_for(task) == "best"
    assert (settings.budget, settings.seconds) == (None, 60.0)
    assert settings.advised
    assert not settings.refit
    assert settings.problems() == []


def test_custom_split_keeps_default_refit() -> None:
    settings = settings_of(RunDraft(), advised=False)
    assert not settings.advised
    assert not settings.refit


def test_custom_refit_keeps_automatic_split() -> None:
    settings = settings_of(RunDraft(refit=True))
    assert settings.refit
    assert settings.advised


@pytest.mark.parametrize("method", ["EO-sqm", "a method of a newer version"])
def test_other_methods_keep_the_division_and_train_once_more(method: str) -> None:
    settings = settings_of(RunDraft(method=method))
    assert not settings.advised
    assert settings.plan == SplitPlan()
    assert settings.refit


def test_it_survives_the_document() -> None:
    draft = RunDraft(method="RS", overrides={"surrogate.samples": 4}, seconds=9.5, budget=None)
    assert RunDraft.from_json(json.loads(json.dumps(draft.to_json()))) == draft


def test_a_draft_of_an_earlier_version_keeps_what_it_says() -> None:
    draft = RunDraft.from_json({"method": None, "budget": 60, "seconds": None, "refit": True})
    settings = settings_of(draft)
    assert (settings.budget, settings.seconds, settings.refit) == (60, None, True)
