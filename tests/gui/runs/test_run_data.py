"""Notes on runs whose columns or test rows differ from the selected run's."""

import shutil
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from studio.arrays import Integers
from studio.data.split_plan import SplitPlan
from studio.document.store import Document
from studio.gui.drafts.method_names import drop_resolved_options
from studio.gui.pages.run.runs.list_model import DATA, METHOD, RunListModel
from studio.gui.session.run_data import (
    NO_DIFFERENCE,
    RunData,
    RunDataSummary,
    compare_data,
    list_data_differences,
)
from studio.gui.session.run_differences import RunDifferences, compare_runs
from studio.gui.session.run_view import RunView
from studio.helper.methods import make_catalogue
from studio.runs.prepare import prepare
from studio.runs.settings import RunSettings, TableSource
from tests.facts import contains_facts
from tests.gui.tables import texts
from tests.results import make_result

ROWS, OTHER_ROWS = np.arange(20), np.arange(10, 30)
MINE = RunDataSummary("y", "abc", frozenset({"a", "b"}), ROWS)


@pytest.fixture
def several(tmp_path: Path) -> dict[str, RunView]:
    """Return runs of one table: two alike, one with a missing column, one with other test rows."""
    table = tmp_path / "t.csv"
    lines = (f"{(7 * i) % 40},{(3 * i) % 11},{'pq'[(i * i) % 3 % 2]}" for i in range(90))
    table.write_text("\n".join(["a,b,y", *lines]) + "\n")
    changes: dict[str, dict[str, Any]] = {
        "first": {},
        "alike": {"seed": 4},
        "fewer": {"roles": {"b": "ignore"}},
        "tested": {"plan": 7},
    }
    with Document.create(tmp_path / "several.studio") as document:
        for name, change in changes.items():
            source = TableSource(path=str(table), target="y", roles=change.get("roles", {}))
            settings = RunSettings(method="RS", budget=3, source=source, seed=change.get("seed", 0))
            content = settings.to_json()
            if "plan" in change:
                content["plan"] = {**content["plan"], "seed": change["plan"]}
            run_id = document.runs.add(name, content)
            prepare(document, run_id, starts_run=True)
        return {row.name: RunView(row) for row in document.runs.list_all()}


@pytest.mark.slow
def test_data_notes_list_differences_only(several: dict[str, RunView], tmp_path: Path) -> None:
    with Document.open(tmp_path / "several.studio", writable=False) as document:
        data = RunData(lambda: document)
        first = several["first"]
        assert data.describe_differences(first, first) == NO_DIFFERENCE
        assert data.describe_differences(several["alike"], first) == NO_DIFFERENCE
        fewer, more = (
            data.describe_differences(several["fewer"], first),
            data.describe_differences(first, several["fewer"]),
        )
        assert fewer.note == more.note
        assert "b" in fewer.details
        assert fewer.details != more.details, "which of them uses it"
        tested = data.describe_differences(several["tested"], first)
        assert tested.note
        assert tested.note != fewer.note
        assert data.describe_differences(several["tested"], None) == NO_DIFFERENCE
        kinds = {name: data.list_differences(view, first) for name, view in several.items()}
        assert kinds == {"first": [], "alike": [], "fewer": ["columns"], "tested": ["test"]}


def test_run_without_table_has_no_data_notes(make_view: Any) -> None:
    data = RunData(lambda: None)
    assert data.get(make_view(state="running", settings={})) is None
    assert (
        data.describe_differences(make_view(settings={}), make_view(settings={})) == NO_DIFFERENCE
    )


def test_data_note_of_different_target_omits_other_differences() -> None:
    target = RunDataSummary("z", "abc", frozenset({"a"}), OTHER_ROWS)
    table = RunDataSummary("y", "def", frozenset({"a"}), OTHER_ROWS)
    assert "z" in compare_data(target, MINE).details
    notes = {compare_data(each, MINE).note for each in (target, table)}
    both = compare_data(RunDataSummary("y", "abc", frozenset({"a"}), OTHER_ROWS), MINE)
    assert len({*notes, both.note}) == 3
    assert ", " in both.note, "columns and rows"


@pytest.mark.parametrize(
    ("n_other", "n_more", "kinds"), [(0, 0, []), (1, 0, []), (2, 0, ["test"]), (0, 2, ["test"])]
)
def test_errors_are_comparable_despite_rounding_of_parts(
    n_other: int, n_more: int, kinds: list[str]
) -> None:
    def summarise(rows: Integers) -> RunDataSummary:
        return RunDataSummary("y", "abc", frozenset({"a"}), rows)

    rows = np.arange(0, 160, 2)
    others = np.append(rows[: len(rows) - n_other], 201 + np.arange(n_other + n_more))
    assert list_data_differences(summarise(rows), summarise(others)) == kinds
    assert list_data_differences(summarise(others), summarise(rows)) == kinds


@pytest.mark.slow
def test_run_list_omits_empty_notes(
    run_page_parts: SimpleNamespace, several: dict[str, RunView], tmp_path: Path
) -> None:
    shutil.copy(tmp_path / "several.studio", tmp_path / "copy.studio")
    run_page_parts.session.open(tmp_path / "copy.studio")
    run_page_parts.session.following.poll()
    run_page_parts.session.run_selection.choose_run(several["first"].row.id)
    model = RunListModel(run_page_parts.session, run_page_parts.run)
    model.refresh()
    notes = [line[DATA] for line in texts(model)]
    assert [bool(each) for each in notes] == [False, False, True, True]
    assert DATA not in model.constant_columns
    model.show(model.records[:2])
    assert DATA in model.constant_columns


@pytest.mark.slow
def test_resolved_options_are_not_in_method_name(run_page_parts: SimpleNamespace) -> None:
    catalogue = make_catalogue()
    best = next(each for each in catalogue.methods if each.key == "best")
    overrides = {"proposer.opening": 25, "ensemble.size": 5}
    assert drop_resolved_options(best, overrides, catalogue) == {"ensemble.size": 5}
    settings = RunSettings(method="best", overrides={"proposer.opening": 25})
    assert run_page_parts.run.get_method_name(settings) == "best"
    assert any("25" in each for each in run_page_parts.run.get_changes(settings)), (
        "the tooltip says it"
    )
    assert METHOD < DATA


def test_overruled_columns_are_listed_by_original_name(tmp_path: Path) -> None:
    table = tmp_path / "t.csv"
    days = (f"{1 + i % 28:02}/{1 + i % 12:02}/2021" if i % 3 else "" for i in range(90))
    lines = (f"{(7 * i) % 40},{day},{'no' if i % 3 else 'yes'}" for i, day in enumerate(days))
    table.write_text("\n".join(["a,closed,y", *lines]) + "\n")
    with Document.create(tmp_path / "leak.studio") as document:
        source = TableSource(path=str(table), target="y", roles={"closed": "feature"})
        settings = RunSettings(method="RS", budget=3, source=source)
        document.runs.add("leak", settings.to_json())
        prepared_run = prepare(document, 1, starts_run=True)
        assert prepared_run.overruled
        document.runs.set_result(1, make_result(overruled=prepared_run.overruled))
        view = RunView(document.runs.get(1))
        assert RunData(lambda: document).find_overruled_columns(view) == ("closed",)


@pytest.mark.slow
def test_differences_of_runs_are_listed_in_one_line(
    several: dict[str, RunView], tmp_path: Path
) -> None:
    with Document.open(tmp_path / "several.studio", writable=False) as document:
        data = RunData(lambda: document)
        first, alike, tested = (several[name] for name in ("first", "alike", "tested"))
        assert compare_runs(first, [alike], data) == RunDifferences()
        other_rows = compare_runs(first, [tested], data)
        assert contains_facts(other_rows.text, "test rows", "not comparable")
        assert not (other_rows.same_test_rows or other_rows.same_validation_rows)
        both = compare_runs(first, [alike, tested, several["fewer"]], data)
        assert contains_facts(both.text, "(tested)", "(fewer)") and "alike" not in both.text


def test_differing_rows_spaces_metrics_and_refits_are_listed(make_view: Any) -> None:
    def make_run(name: str, refitted: bool = True, **settings: Any) -> RunView:
        unrefitted_members = (2,) if name == "partly" else ()
        members, refit_fields = (
            ((1, 0.5), (2, 0.5)),
            {"refitted": refitted, "not_refitted": unrefitted_members},
        )
        result = make_result(*members, test_error_ensemble=0.1, **refit_fields)
        return make_view(
            name=name, state="finished", result=result, settings={"method": "RS", **settings}
        )

    data, run = RunData(lambda: None), make_run("run")
    folds = compare_runs(run, [make_run("folds", plan=SplitPlan(folds=5).to_json())], data)
    assert folds.same_test_rows and not folds.same_validation_rows
    assert "validation rows" in folds.text
    spaces = [make_run(name, space={"name": name}) for name in ("svm", "forest")]
    assert compare_runs(spaces[0], spaces[1:], data).text == "Different space"
    assert "Different metric" in compare_runs(run, [make_run("b", metric="brier")], data).text
    refits = compare_runs(run, [make_run("bare", refitted=False), make_run("partly")], data).text
    assert refits == "Refitted: run  ·  Not refitted: bare  ·  1 of 2 refitted: partly"
