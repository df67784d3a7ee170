"""Playback of recorded runs: order, pace, and no writes."""

import hashlib
from pathlib import Path

import pytest

from studio.document.follow import Playback
from studio.document.store import Document
from studio.document.trials import Iteration
from studio.errors import DocumentError
from studio.trial import Trial
from tests.manual_clock import ManualClock


@pytest.fixture
def recorded(tmp_path: Path) -> Path:
    path = tmp_path / "r.studio"
    with Document.create(path) as document:
        document.spaces.save("mine", {})
        for name, times in (("fast", (1.0, 2.0, 3.0)), ("slow", (5.0, 10.0))):
            add(document, name, [{"elapsed": elapsed} for elapsed in times], seconds=10.0)
    return path


def add(document: Document, name: str, details: list[dict[str, float]], **limit: float) -> None:
    run = document.runs.add(name, {"method": "RS", **limit})
    for number, each in enumerate(details, 1):
        trial = Trial(number=number, configuration={}, seed=0, loss=None, cause="c", remedy="r")
        document.trials.add(run, trial, None, None, Iteration(number, details=each))
    document.runs.set_state(run, "finished", "done")


def numbers(changes: object) -> list[tuple[int, int]]:
    return [(row.run_id, row.trial.number) for row in changes.trials]  # type: ignore[attr-defined]


def test_playback_starts_all_runs_simultaneously(recorded: Path) -> None:
    bytes_before = hashlib.sha256(recorded.read_bytes()).hexdigest()
    clock = ManualClock()
    playback = Playback(recorded, length=10.0, clock=clock)
    first = playback.read_changes()
    assert first is not None and first.is_played
    assert first is not None
    assert [(row.name, row.state, row.result) for row in first.runs] == [
        ("fast", "running", None),
        ("slow", "running", None),
    ]
    assert (first.tables, first.spaces, first.trials) == ((), ("mine",), ())
    assert not first.has_more
    assert playback.read_changes() is None
    clock.now = 2.0
    second = playback.read_changes()
    assert second is not None
    assert numbers(second) == [(1, 1), (1, 2)]
    assert second.spaces == ()
    assert playback.is_playing_run(1)
    clock.now = 5.0
    third = playback.read_changes()
    assert third is not None
    assert numbers(third) == [(1, 3), (2, 1)]
    assert [(row.id, row.state, row.message) for row in third.runs] == [(1, "finished", "done")]
    assert not playback.is_finished
    clock.now = 100.0
    last = playback.read_changes()
    assert last is not None
    assert numbers(last) == [(2, 2)]
    assert playback.is_finished
    assert playback.read_changes() is None
    assert hashlib.sha256(recorded.read_bytes()).hexdigest() == bytes_before


@pytest.mark.parametrize(
    ("details", "shown"),
    [
        ([{"elapsed": 0.1}, {"elapsed": 0.2}, {"elapsed": 0.8}], [1, 2]),
        ([{"elapsed": 0.1}, {"elapsed": 0.1}, {"elapsed": 0.8}], [1, 2]),
        ([{"elapsed": 3.0}, {"elapsed": 1.0}, {"elapsed": 2.0}], [1]),
        ([{}, {}, {}], [1]),
    ],
)
def test_run_without_times_is_played_at_constant_rate(
    tmp_path: Path, details: list[dict[str, float]], shown: list[int]
) -> None:
    with Document.create(tmp_path / "p.studio") as document:
        add(document, "short", details)
    clock = ManualClock()
    playback = Playback(tmp_path / "p.studio", length=8.0, clock=clock)
    playback.read_changes()
    clock.now = 3.0
    changes = playback.read_changes()
    assert [number for _, number in numbers(changes)] == shown


def test_runs_of_equal_length_are_played_synchronously(tmp_path: Path) -> None:
    with Document.create(tmp_path / "s.studio") as document:
        add(document, "slow at first", [{"elapsed": at} for at in (7.0, 8.0, 9.0, 10.0)], budget=4)
        add(document, "stopped", [{"elapsed": at} for at in (1.0, 2.0)], budget=4)
    clock = ManualClock()
    playback = Playback(tmp_path / "s.studio", length=8.0, clock=clock)
    playback.read_changes()
    for now, due in ((2.0, [(1, 1), (2, 1)]), (4.0, [(1, 2), (2, 2)]), (6.0, [(1, 3)])):
        clock.now = now
        assert numbers(playback.read_changes()) == due


def test_playback_pauses_changes_speed_and_skips(recorded: Path) -> None:
    clock = ManualClock()
    playback = Playback(recorded, length=10.0, clock=clock)
    playback.read_changes()
    playback.paused = True
    clock.now = 50.0
    assert playback.read_changes() is None
    assert playback.position == 0.0
    playback.paused = False
    playback.speed = 4.0
    clock.now = 51.0
    assert playback.read_changes() is not None
    assert playback.position == pytest.approx(0.4)
    playback.skip()
    assert playback.position == 1.0
    rest = playback.read_changes(limit=1)
    assert rest is not None
    assert len(rest.trials) == 1
    while playback.read_changes(limit=1) is not None:
        pass
    assert playback.is_finished


def test_document_without_trials_has_empty_playback(tmp_path: Path) -> None:
    path = tmp_path / "e.studio"
    Document.create(path).close()
    with pytest.raises(DocumentError, match="nothing to play"):
        Playback(path)
