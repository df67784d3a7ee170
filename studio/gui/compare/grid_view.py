"""What the grid of a study shows, as plain records: cells, their repetitions, how far all is."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from studio.gui.language import grouped, ntr, said, tr
from studio.gui.run_view import RunView
from studio.gui.wording import duration, loss

State = Literal["open", "running", "finished", "failed", "stopped", "out"]

STATES: tuple[State, ...] = ("finished", "running", "open", "stopped", "failed", "out")

_FEWEST = 5
"""Trials from which a run that goes tells how long it will take."""


@dataclass(frozen=True)
class Segment:
    """One repetition of a cell.

    Attributes
    ----------
    repetition : int
        From 1.
    run : int or None
        Its run, ``None`` while there is none.
    state : str
        "open" (not begun), "running", "finished", "failed", "stopped", or "out": its data set
        cannot be used.
    share : float
        How far it is, in [0, 1].
    error : float or None
        Its test error, once finished.
    message : str
        Why it failed.
    """

    repetition: int
    run: int | None
    state: State
    share: float = 0.0
    error: float | None = None
    message: str = ""


@dataclass(frozen=True)
class CellView:
    """A method on a data set: all repetitions.

    Attributes
    ----------
    segments : tuple of Segment
        The repetitions in order.
    mean : float or None
        Mean test error of the finished ones.
    best : bool
        Whether no other method of the row has a smaller mean (as it is written).
    unit : str
        "%" where errors are shares.
    """

    segments: tuple[Segment, ...]
    mean: float | None
    best: bool = False
    unit: str = ""

    def count(self, state: State) -> int:
        """Return how many repetitions are in a state."""
        return sum(each.state == state for each in self.segments)

    @property
    def text(self) -> str:
        """The mean error so far."""
        return loss(self.mean, self.unit)


@dataclass(frozen=True)
class RowView:
    """A data set (in one space).

    Attributes
    ----------
    name, note : str
        What it is called, and what is known of it.
    left_out : str
        Why it cannot be used; empty where it can.
    cells : tuple of CellView
        A cell a method.
    """

    name: str
    note: str
    left_out: str
    cells: tuple[CellView, ...]


@dataclass(frozen=True)
class GridView:
    """The whole grid.

    Attributes
    ----------
    methods : tuple of str
        Names of the columns.
    rows : tuple of RowView
        Data sets in their order.
    """

    methods: tuple[str, ...] = ()
    rows: tuple[RowView, ...] = ()

    def count(self, state: State) -> int:
        """Return how many runs are in a state."""
        return sum(cell.count(state) for row in self.rows for cell in row.cells)

    @property
    def total(self) -> int:
        """How many runs there are to be, those of unusable data sets left out."""
        return sum(len(cell.segments) for row in self.rows for cell in row.cells) - self.count(
            "out"
        )


def grid_view(
    methods: Sequence[str],
    rows: Sequence[Mapping[str, Any]],
    view_of: Callable[[int], RunView | None],
    failures: Mapping[str, str],
) -> GridView:
    """Return what the grid shows.

    Parameters
    ----------
    methods : sequence of str
        Names, in the study's order.
    rows : sequence of Mapping
        The helper's answer (:class:`studio.compare.grid.GridRow` as JSON).
    view_of : callable
        The run of an id, ``None`` where the window does not know it (yet).
    failures : Mapping
        Why cells that have no run failed, by name.
    """
    several = len({(row["name"], row["space"]) for row in rows}) > len(
        {row["name"] for row in rows}
    )
    return GridView(tuple(methods), tuple(_row(each, view_of, failures, several) for each in rows))


def _row(
    row: Mapping[str, Any],
    view_of: Callable[[int], RunView | None],
    failures: Mapping[str, str],
    several: bool,
) -> RowView:
    left_out = str(row["left_out"])
    made = [
        tuple(
            _segment(place, run, view_of, left_out=bool(left_out))
            for place, run in enumerate(runs, start=1)
        )
        for runs in row["runs"]
    ]
    unit = next((u for runs in row["runs"] for run in runs if (u := _unit(run, view_of))), "")
    means = [_mean(segments) for segments in made]
    known = [loss(each, unit) for each in means if each is not None]
    least = min((each for each in means if each is not None), default=None)
    best = loss(least, unit) if len(known) > 1 else ""
    cells = tuple(
        CellView(segments, mean, mean is not None and loss(mean, unit) == best, unit)
        for segments, mean in zip(made, means, strict=True)
    )
    name = f"{row['name']} / {row['space']}" if several else str(row["name"])
    note = ntr("{count} row", "{count} rows", row["rows"]) if row["rows"] else ""
    return RowView(name, note, said(left_out), cells)


def _segment(
    repetition: int,
    run: int | None,
    view_of: Callable[[int], RunView | None],
    *,
    left_out: bool,
) -> Segment:
    view = None if run is None else view_of(run)
    if view is None:
        return Segment(repetition, run, "out" if left_out else "open")
    if view.state == "finished" and view.row.result is not None:
        error = float(view.row.result["test_error_ensemble"])
        return Segment(repetition, run, "finished", 1.0, error)
    share = min(1.0, view.searched / view.budget) if view.budget else 0.0
    if view.state == "failed":
        return Segment(repetition, run, "failed", share, message=said(view.row.message))
    going = view.state in {"running", "waiting", "paused"} and view.alive
    return Segment(repetition, run, "running" if going else "stopped", share)


def _unit(run: int | None, view_of: Callable[[int], RunView | None]) -> str:
    view = None if run is None else view_of(run)
    return "" if view is None else str((view.row.result or {}).get("unit", ""))


def _mean(segments: Sequence[Segment]) -> float | None:
    errors = [each.error for each in segments if each.error is not None]
    return sum(errors) / len(errors) if errors else None


def segment_words(segment: Segment, unit: str) -> str:
    """Say how a repetition is: "2: 4.2 %", "3: running, 31 % done"."""
    words = {
        "open": tr("not begun yet"),
        "running": tr("running, {share} % done", share=round(100 * segment.share)),
        "finished": loss(segment.error, unit),
        "failed": tr("failed: {why}", why=segment.message),
        "stopped": tr("interrupted, {share} % done", share=round(100 * segment.share)),
        "out": tr("left out"),
    }[segment.state]
    return f"{segment.repetition}: {words}"


def cell_words(row: RowView, method: str, cell: CellView) -> str:
    """Say how a cell is, in lines: for its tooltip and for screen readers."""
    lines = [f"{row.name} · {method}"]
    if row.left_out:
        return "\n".join([*lines, row.left_out])
    if cell.mean is not None:
        lines.append(
            tr(
                "Mean test error {error} over {done} of {all} repetitions",
                error=cell.text,
                done=cell.count("finished"),
                all=len(cell.segments),
            )
        )
    lines += [
        tr("Repetition {words}", words=segment_words(each, cell.unit)) for each in cell.segments
    ]
    return "\n".join(lines)


def seconds_to_go(
    grid: GridView, view_of: Callable[[int], RunView | None], lanes: int
) -> float | None:
    """Return the seconds that the rest will take; ``None`` while nothing is known.

    A run takes what the finished ones of its data set and method took on average, else of its
    data set, else of its method, else of all; a running one that has told enough, what it says.

    Parameters
    ----------
    grid : GridView
        All cells.
    view_of : callable
        The run of an id.
    lanes : int
        Runs at the same time.
    """
    taken: dict[tuple[int | None, int | None], list[float]] = {}
    rest = 0.0
    left: list[tuple[int, int, Segment]] = []
    for r, row in enumerate(grid.rows):
        for m, cell in enumerate(row.cells):
            for each in cell.segments:
                view = None if each.run is None else view_of(each.run)
                if each.state == "finished" and view is not None and view.row.result:
                    seconds = float(view.row.result["seconds"])
                    for key in ((r, m), (r, None), (None, m), (None, None)):
                        taken.setdefault(key, []).append(seconds)
                elif each.state in {"open", "running", "stopped"}:
                    left.append((r, m, each))
    for r, m, each in left:
        whole = _own_seconds(each, view_of)
        keys = ((r, m), (r, None), (None, m), (None, None))
        known = next((taken[key] for key in keys if key in taken), None)
        if whole is None and known is None:
            return None
        expected = whole if whole is not None else sum(known or ()) / len(known or (1,))
        rest += expected * (1.0 - each.share)
    return rest / max(1, lanes)


def _own_seconds(segment: Segment, view_of: Callable[[int], RunView | None]) -> float | None:
    view = None if segment.run is None else view_of(segment.run)
    if view is None or segment.share <= 0 or len(view.trials) < _FEWEST or not view.elapsed:
        return None
    return view.elapsed / segment.share


def progress_line(grid: GridView, to_go: float | None, *, going: bool) -> str:
    """Write how far a study is: "43 of 120 runs · 2 running · 1 failed · about 25 min left"."""
    done, failed, out = grid.count("finished"), grid.count("failed"), grid.count("out")
    parts = [tr("{done} of {all} runs finished", done=grouped(done), all=grouped(grid.total))]
    running = grid.count("running")
    if running:
        parts.append(ntr("{count} running", "{count} running", running))
    if failed:
        parts.append(ntr("{count} failed", "{count} failed", failed))
    if out:
        parts.append(ntr("{count} left out", "{count} left out", out))
    if going and done + failed < grid.total:
        parts.append(
            tr("time left is known after the first runs")
            if to_go is None
            else tr("about {time} left", time=duration(to_go))
        )
    return " · ".join(parts)
