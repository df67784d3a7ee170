"""Answers of the helper about real runs are complete and consistent."""

from pathlib import Path
from typing import Any

import pytest

from studio.document.store import Document
from studio.errors import EnsembleError
from studio.helper.answers import decode, encode
from studio.helper.protocol import MessageUnpacker, pack
from studio.helper.registry import load_task, run_task
from studio.runs.engine import Engine
from studio.runs.inline import InlinePool
from studio.runs.settings import RunSettings, TableSource
from tests.helper.test_answers import same

LAST = 6


@pytest.fixture(scope="module", params=["classes", "numbers"])
def run(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("run")
    table = folder / "t.csv"
    classes = request.param == "classes"
    targets = ["xy"[(i % 9) > 4] if classes else str(i % 9 + 0.5) for i in range(80)]
    rows = [f"{i % 9},{(i * 7) % 13},{targets[i]}" for i in range(80)]
    table.write_text("a,b,target\n" + "\n".join(rows) + "\n")
    method = "EO-sig" if classes else "EO-mse"
    settings = RunSettings(
        method=method, budget=LAST, workers=1, source=TableSource(path=str(table))
    )
    path = folder / "w.studio"
    with Document.create(path) as document:
        run_id = document.runs.add("run", settings.to_json())
        Engine(document, run_id, lambda _: None, InlinePool).execute_run()
    return path


def ask(name: str, path: Path, **more: Any) -> Any:
    return run_task(name, {"path": str(path), "run_id": 1, **more})


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "more"),
    [
        ("slice", {"iteration": None, "parameter": "algorithm"}),
        ("calibration", {"iteration": LAST}),
        ("importance", {"iteration": LAST, "branch": ""}),
        ("posterior_choices", {"iteration": LAST}),
        ("diversity", {"iteration": None}),
        ("search_diversity", {}),
        ("search_agreement", {"iteration": LAST}),
        ("contributions", {}),
        ("what_if", {"iteration": LAST, "weights": [[1, 0.5], [2, 0.5]]}),
        ("ensemble_objective", {"iteration": LAST, "parameter": "algorithm", "every_slot": True}),
        ("margins", {"iteration": LAST}),
        ("prediction_errors", {"iteration": LAST, "rows": "test", "about": None}),
        ("make_column_plan", {"iteration": LAST}),
        ("compute_column_effects", {"iteration": LAST, "column": "b", "seconds": 60.0}),
    ],
)
def test_run_replies_round_trip_through_pipe(run: Path, name: str, more: Any) -> None:
    answer = ask(name, run, **more)
    reply, arrays = encode(answer)
    (message,) = MessageUnpacker().feed(pack({"reply": reply}, arrays))
    kind = load_task(name).answer_type
    assert same(decode(kind, message.header["reply"], message.arrays), answer)


@pytest.mark.slow
def test_what_if_reply_contains_all_errors(run: Path) -> None:
    with Document.open(run, writable=False) as document:
        members = document.trials.list_iterations(1)[-1].members
    what_if_answer = ask("what_if", run, iteration=LAST, weights=[list(each) for each in members])
    assert what_if_answer.validation == pytest.approx(what_if_answer.actual_validation)
    assert set(what_if_answer.member_test_losses) == {number for number, _ in members}
    with pytest.raises(EnsembleError):
        ask("what_if", run, iteration=LAST, weights=[])


@pytest.mark.slow
def test_objective_has_one_element_per_trial(run: Path) -> None:
    objective = ask("ensemble_objective", run, iteration=LAST)
    assert objective.slot == objective.next_slot
    for values in (
        objective.trial_losses,
        objective.joint_losses,
        objective.members,
        objective.trial_x,
    ):
        assert values.shape == objective.numbers.shape
    each = ask("ensemble_objective", run, iteration=LAST, slot=0, every_slot=True)
    assert each.slot == 0
    assert len(each.losses_by_slot) == len(each.slot_trials)


def test_method_without_surrogate_gives_reason(run: Path) -> None:
    agreement = ask("search_agreement", run, iteration=5)
    assert not agreement.has_diversity_surrogate
    assert not agreement.has_more
    assert agreement.numbers.size == agreement.taus.size == 0
