"""A filled document, killed processes, and helpers of all reading tests."""

import os
import signal
import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import pytest

from studio.document.store import Document
from studio.document.trials import Iteration
from studio.trial import Trial, check_no_lost_trials


def softmax(seed: int, rows: int, classes: int, scale: float = 3.0) -> np.ndarray:
    """Return classifier-like probabilities in stored form."""
    scores = np.random.default_rng(seed).normal(size=(rows, classes)) * scale
    odds = np.exp(scores - scores.max(axis=1, keepdims=True))
    return (odds / odds.sum(axis=1, keepdims=True)).astype(np.float16)


@dataclass
class Work:
    """A run to be written, with trials determined by their numbers."""

    rows: int = 40
    classes: int = 3
    columns: dict[str, np.ndarray] = field(
        default_factory=lambda: {
            "age": np.array([1.5, np.nan, -3.0]),
            "town": np.array([0, -1, 1], dtype=np.int32),
        }
    )

    def trial(self, number: int) -> Trial:
        return Trial(
            number=number,
            configuration={"algorithm": "knn", "knn.k": number, "C": 0.1 * number, "flag": True},
            seed=number + 7,
            loss=None if number % 4 == 0 else 1.0 / (3 * number),
            cause="It hung." if number % 4 == 0 else "",
            used={"knn.k": 2} if number % 3 == 0 else {},
        )

    def iteration(self, number: int) -> Iteration:
        return Iteration(
            number=number,
            best=1,
            single_validation=1.0 / 3,
            ensemble_validation=0.1,
            members=((1, 0.75), (2, 0.25)) if number > 1 else ((1, 1.0),),
            details={"elapsed": 0.1 * number},
        )

    def predictions(self, number: int) -> tuple[np.ndarray | None, np.ndarray | None]:
        if self.trial(number).loss is None:
            return None, None
        return softmax(number, self.rows, self.classes), softmax(-number % 99, 20, self.classes)

    def start(self, document: Document) -> int:
        table = document.tables.add({"columns": ["age", "town"], "é": "ü"}, self.columns)
        return document.runs.add("first", {"budget": 9}, table, {"train": np.arange(30)})

    def add(self, document: Document, run: int, number: int) -> None:
        document.trials.add(
            run, self.trial(number), *self.predictions(number), self.iteration(number)
        )

    def check(self, document: Document, run: int) -> int:
        """Compare a whole run with the added trials; return their number."""
        trials = document.trials.list_all(run)
        check_no_lost_trials(trials)
        iterations = document.trials.list_iterations(run)
        assert [trial.number for trial in trials] == list(range(1, len(trials) + 1))
        for trial, iteration in zip(trials, iterations, strict=True):
            number = trial.number
            assert trial == self.trial(number)
            assert iteration == self.iteration(number)
            for part, expected in zip(
                ("validation", "test"), self.predictions(number), strict=True
            ):
                np.testing.assert_array_equal(
                    document.trials.read_predictions(run, number, part), expected
                )
        return len(trials)

    def check_all(self, document: Document) -> None:
        """Read all records of a document."""
        for row in document.tables.list_all():
            _, columns = document.tables.read(row.id)
            for name, expected in self.columns.items():
                np.testing.assert_array_equal(columns[name], expected)
        for run in document.runs.list_all():
            assert run.settings == {"budget": 9}
            for rows in document.runs.split(run.id).values():
                np.testing.assert_array_equal(rows, np.arange(30))
            self.check(document, run.id)


@pytest.fixture
def work() -> Work:
    return Work()


@pytest.fixture
def probabilities() -> Callable[..., np.ndarray]:
    return softmax


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "my wörk.studio"


@pytest.fixture
def document(path: Path) -> Iterator[Document]:
    with Document.create(path) as new_document:
        yield new_document


@pytest.fixture
def filled(path: Path, work: Work) -> Path:
    """A closed document with a table, a run and five trials."""
    with Document.create(path) as document:
        run = work.start(document)
        for number in range(1, 6):
            work.add(document, run, number)
        document.spaces.save("mine", {"parameters": []})
        document.notes.set("page", "data")
    return path


class Child:
    """A forked process that prints lines and never returns into the test."""

    def __init__(self, job: Callable[[Callable[[str], None]], None]) -> None:
        reader, writer = os.pipe()
        with warnings.catch_warnings():
            # Newer Pythons warn about a test runner's threads; the child process waits for none.
            warnings.simplefilter("ignore", DeprecationWarning)
            self.pid = os.fork()
        if self.pid == 0:
            code = 1
            try:
                os.close(reader)
                job(lambda line: os.write(writer, f"{line}\n".encode()) and None)
                code = 0
            except BaseException as error:
                os.write(writer, f"ERROR {type(error).__name__}: {error}\n".encode())
            finally:
                os._exit(code)
        os.close(writer)
        self._lines = os.fdopen(reader, encoding="utf-8")

    def line(self) -> str:
        return self._lines.readline().strip()

    def kill(self) -> None:
        os.kill(self.pid, signal.SIGKILL)

    def end(self) -> list[str]:
        """Wait for the process's end; return its unread lines."""
        rest = self._lines.read().splitlines()
        self._lines.close()
        os.waitpid(self.pid, 0)
        return rest


@pytest.fixture
def fork() -> type[Child]:
    if not hasattr(os, "fork"):
        pytest.skip("this system cannot fork")
    return Child
