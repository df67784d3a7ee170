"""The run draft."""

import json

import pytest

from studio.gui.run_draft import RunDraft
from studio.runs.settings import RunSettings


@pytest.mark.parametrize(
    ("task", "method"),
    [("binary", "EO-sqm"), ("multiclass", "EO-sqm"), ("regression", "EO-mse")],
)
def test_defaults_give_a_run_of_sixty_models(task: str, method: str) -> None:
    plan = {"train": 0.6, "validation": 0.2, "test": 0.2, "folds": None, "seed": 0}
    settings = RunSettings.from_json(RunDraft().settings(task, None, plan))
    assert settings.method == method
    assert settings.budget == 60
    assert settings.problems() == []


def test_it_survives_the_document() -> None:
    draft = RunDraft(method="RS", overrides={"surrogate.samples": 4}, seconds=9.5, budget=None)
    assert RunDraft.from_json(json.loads(json.dumps(draft.to_json()))) == draft
