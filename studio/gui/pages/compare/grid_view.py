"""The grid of a study as plain records: cells and their repetitions."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

from studio.compare.answers import GridRow
from studio.compare.tables.table import choose_error_format, format_error, format_error_phrase
from studio.gui.session.run_view import RunView
from studio.language import N_, localise_number, ntr, tr, translate
from studio.measure import UNKNOWN_TEXT
from studio.numerals import NumeralFormat

State = Literal["open", "running", "finished", "failed", "stopped", "out"]


@dataclass(frozen=True)
class RepetitionView:
    """One repetition of a cell.

    Attributes:
        repetition: From 1.
        run: ``None`` if there is none yet.
        state: "open" (not begun), "running", "finished", "failed", "stopped", or "out" (the data
            set is unusable, at least for this method).
        progress: Its progress, in [0, 1].
        error: Its test error, once finished.
    """

    repetition: int
    run: int | None
    state: State
    progress: float = 0.0
    error: float | None = None
    message: str = ""


@dataclass(frozen=True)
class CellView:
    """All repetitions of a method on a data set.

    Attributes:
        mean: Mean test error over the repetitions finished by all methods of the row that have
            finished any, so that means are comparable; if there are none, over its finished ones.
        is_best: Whether no other method of the row has a smaller (rounded) mean over the same
            repetitions.
        unit: "%" for errors measured as shares.
    """

    segments: tuple[RepetitionView, ...]
    mean: float | None
    averaged: int = 0
    is_best: bool = False
    unit: str = ""
    error_format: NumeralFormat = field(default_factory=NumeralFormat)

    def count(self, state: State) -> int:
        """Return the number of repetitions in a state."""
        return sum(each.state == state for each in self.segments)

    @property
    def text(self) -> str:
        """The mean error so far."""
        return self.format_error(self.mean)

    def format_error(self, error: float | None) -> str:
        """Return an error in the format of the comparison's tables."""
        if error is None:
            return UNKNOWN_TEXT
        return translate(format_error_phrase(error, self.unit, self.error_format))

    def format_figure(self, error: float | None) -> str:
        """Return an error without its unit; empty for none."""
        if error is None:
            return ""
        return localise_number(format_error(error, self.unit, self.error_format))

    @property
    def newest_run(self) -> int | None:
        """The running repetition, else the last one."""
        started = [each for each in self.segments if each.run is not None]
        running = [each for each in started if each.state == "running"]
        newest = (running or started)[-1:]
        return newest[0].run if newest else None


@dataclass(frozen=True)
class RowView:
    """A data set in one space, with a cell per method; ``excluded_reason`` is empty if usable."""

    name: str
    note: str
    excluded_reason: str
    cells: tuple[CellView, ...]


@dataclass(frozen=True)
class GridView:
    """The whole grid, data sets in order."""

    methods: tuple[str, ...] = ()
    rows: tuple[RowView, ...] = ()

    def count(self, state: State) -> int:
        """Return the number of runs in a state."""
        return sum(cell.count(state) for row in self.rows for cell in row.cells)

    def list_finished_runs(self) -> frozenset[int]:
        """Return the ids of the finished runs."""
        segments = (each for row in self.rows for cell in row.cells for each in cell.segments)
        return frozenset(
            each.run for each in segments if each.state == "finished" and each.run is not None
        )

    @property
    def n_planned_runs(self) -> int:
        """The planned number of runs, without skipped ones."""
        n_cells = sum(len(cell.segments) for row in self.rows for cell in row.cells)
        return n_cells - self.count("out")


def make_grid_view(
    methods: Sequence[str],
    rows: Sequence[GridRow],
    get_view: Callable[[int], RunView | None],
    error_formats: Mapping[str, NumeralFormat] | None = None,
) -> GridView:
    """Return the content of the grid, with the runs known to the window.

    Args:
        error_formats: The formats of errors in the results, by row; by default of the means here.
    """
    names, formats = {(row.name, row.space) for row in rows}, error_formats or {}
    has_several_spaces = len(names) > len({row.name for row in rows})
    views = (_make_row(each, get_view, has_several_spaces, formats) for each in rows)
    return GridView(tuple(methods), tuple(views))


def _make_row(
    row: GridRow,
    view_of: Callable[[int], RunView | None],
    has_several_spaces: bool,
    error_formats: Mapping[str, NumeralFormat],
) -> RowView:
    name = f"{row.name} / {row.space}" if has_several_spaces else row.name
    all_segments = [
        tuple(
            _make_segment(r + 1, run, view_of, row.explain_missing_run(m, r))
            for r, run in enumerate(runs)
        )
        for m, runs in enumerate(row.runs)
    ]
    views = (view_of(run) for runs in row.runs for run in runs if run is not None)
    unit = next((view.row.result.unit for view in views if view and view.row.result), "")
    cell_errors = [
        {s.repetition: s.error for s in each if s.error is not None} for each in all_segments
    ]
    started_runs = [set(errors) for errors in cell_errors if errors]
    common_repetitions = set.intersection(*started_runs) if started_runs else set()
    averaged = [
        [errors[each] for each in errors if not common_repetitions or each in common_repetitions]
        for errors in cell_errors
    ]
    means = [sum(errors) / len(errors) if errors else None for errors in averaged]
    known_means = [mean for mean in means if mean is not None]
    error_format = error_formats.get(name) or choose_error_format(known_means, unit)
    has_best = bool(common_repetitions) and len(known_means) > 1
    best = format_error(min(known_means), unit, error_format) if has_best else ""
    cells = tuple(
        CellView(
            segments,
            mean,
            len(errors),
            mean is not None and format_error(mean, unit, error_format) == best,
            unit,
            error_format,
        )
        for segments, errors, mean in zip(all_segments, averaged, means, strict=True)
    )
    note = ntr("{count} row", "{count} rows", row.rows) if row.rows else ""
    if target := row.target:
        if row.is_target_guessed:
            target = tr("{target} (guessed)", target=target)
        note = tr("{rows} · predicts {target}", rows=note, target=target)
    return RowView(name, note, translate(row.exclusion_reason), cells)


def _make_segment(
    repetition: int,
    run: int | None,
    view_of: Callable[[int], RunView | None],
    exclusion_reason: str,
) -> RepetitionView:
    view = None if run is None else view_of(run)
    if view is None:
        state: State = "out" if exclusion_reason else "open"
        return RepetitionView(repetition, run, state, message=translate(exclusion_reason))
    error = view.row.result and view.row.result.test_error_ensemble
    if view.state == "finished" and error is not None:
        return RepetitionView(repetition, run, "finished", 1.0, error)
    share = view.n_budget_trials / view.budget if view.budget else 0.0
    if (seconds := view.settings.seconds) and view.elapsed:
        share = max(share, view.elapsed / seconds)
    share = min(1.0, share)
    if view.state == "failed":
        return RepetitionView(repetition, run, "failed", share, message=translate(view.row.message))
    if view.row.state == "waiting" and not view.is_alive:
        # Just added to the study: not begun, hence not interrupted.
        return RepetitionView(repetition, run, "open")
    is_active = view.state in {"running", "waiting", "paused"} and view.is_alive
    return RepetitionView(repetition, run, "running" if is_active else "stopped", share)


def describe_segment(segment: RepetitionView, cell: CellView) -> str:
    """Describe the state of a repetition: "2: 4.2 %", "3: running, 31 % done"."""
    text = {
        "open": tr("not started yet"),
        "running": tr("running, {share} % done", share=round(100 * segment.progress)),
        "finished": cell.format_error(segment.error),
        "failed": tr("failed: {why}", why=segment.message),
        "stopped": tr("interrupted, {share} % done", share=round(100 * segment.progress)),
        "out": tr("left out: {why}", why=segment.message),
    }[segment.state]
    return f"{segment.repetition}: {text}"


def describe_cell(row: RowView, method: str, cell: CellView) -> str:
    """Describe a cell in a few lines, for its tooltip and for screen readers."""
    lines = [f"{row.name} · {method}"]
    if row.excluded_reason:
        return "\n".join([*lines, row.excluded_reason])
    if cell.mean is not None:
        text = N_("Mean test error {error} over {done} of {all} repetitions")
        lines.append(tr(text, error=cell.text, done=cell.averaged, all=len(cell.segments)))
    words = (describe_segment(each, cell) for each in cell.segments)
    return "\n".join([*lines, *(tr("Repetition {words}", words=each) for each in words)])
