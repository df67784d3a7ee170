"""Differences between runs whose errors are shown together, in one line."""

from collections.abc import Sequence
from dataclasses import dataclass

from studio.data.metrics.registry import find_metric
from studio.gui.session.run_data import RunData
from studio.gui.session.run_view import RunView
from studio.language import capitalise, tr, translate
from studio.runs.settings import summarise_refit


@dataclass(frozen=True)
class RunDifferences:
    """How other runs differ from the selected one.

    Attributes:
        parts: The differences in words, the most serious first.
        same_test_rows, same_validation_rows: Whether errors on these rows can be ranked.
    """

    parts: tuple[str, ...] = ()
    same_test_rows: bool = True
    same_validation_rows: bool = True

    @property
    def text(self) -> str:
        """The differences in one line; empty for none."""
        return _join(self.parts)

    @property
    def only_test_is_comparable(self) -> bool:
        """Whether errors on test rows can be ranked, but not those on validation rows."""
        return self.same_test_rows and not self.same_validation_rows

    def describe_others(self, headline: str) -> str:
        """Return the differences that a headline does not state, in one line."""
        return _join([each for each in self.parts if each != headline])

    def has_same_rows(self, *, tested: bool) -> bool:
        """Whether errors on test rows, or on validation rows, can be ranked."""
        return self.same_test_rows if tested else self.same_validation_rows


def compare_runs(selected: RunView, others: Sequence[RunView], data: RunData) -> RunDifferences:
    """Return the known differences of other runs from the selected run."""
    names: dict[str, list[str]] = {}
    for other in others:
        for kind in _list_differences(selected, other, data):
            names.setdefault(kind, []).append(other.name)
    texts = {
        "target": tr("Different target{runs}: the errors are not comparable"),
        "table": tr("Different table{runs}: the errors are not comparable"),
        "test": tr("Different test rows{runs}: the errors are not comparable"),
        "metric": tr("Different metric{runs}: the errors are not comparable"),
        "validation": tr("Different validation rows{runs}: only test errors are comparable"),
        "columns": tr("Different columns{runs}"),
        "space": tr("Different space{runs}"),
    }
    parts = [
        text.format(runs=f" ({', '.join(names[kind])})" if len(others) > 1 else "")
        for kind, text in texts.items()
        if kind in names
    ]
    rows_differ = bool(names.keys() & {"target", "table", "test"})
    return RunDifferences(
        tuple(filter(None, (*parts, _describe_refits((selected, *others))))),
        same_test_rows=not rows_differ,
        same_validation_rows=not (rows_differ or "validation" in names),
    )


def _join(parts: Sequence[str]) -> str:
    return "  ·  ".join(parts)


def _list_differences(run: RunView, other: RunView, data: RunData) -> list[str]:
    kinds: list[str] = [*data.list_differences(run, other)]
    if _get_metric_title(run) != _get_metric_title(other):
        kinds.append("metric")
    if (
        not {"target", "table", "test", "metric"} & {*kinds}
        and run.settings.plan != other.settings.plan
    ):
        kinds.append("validation")
    if None not in (run.settings.space, other.settings.space) and (
        run.settings.space != other.settings.space
    ):
        kinds.append("space")
    return kinds


def _get_metric_title(view: RunView) -> str:
    metric = find_metric(view.metric)
    return view.metric if metric is None else translate(metric.title)


def _describe_refits(views: Sequence[RunView]) -> str:
    """State which final models were refitted, if all runs are tested but not all were refitted.

    Models refitted on more rows are often better, whatever the search.
    """
    results = [view.row.result for view in views if view.test_loss is not None]
    texts = [summarise_refit(each.refitted_counts) for each in results if each is not None]
    if len(texts) < len(views) or len(set(texts)) == 1:
        return ""
    names: dict[str, list[str]] = {}
    for view, text in zip(views, texts, strict=True):
        names.setdefault(translate(text), []).append(view.name)
    return "  ·  ".join(
        tr("{name}: {value}", name=capitalise(text), value=", ".join(runs))
        for text, runs in names.items()
    )
