"""The draft of a comparison: its summary, and the reasons that block its start."""

from pathlib import Path

import pytest

from studio.compare.power import choose_repetitions
from studio.compare.statistics.intervals import MIN_REPETITIONS
from studio.compare.study import parse_study
from studio.compare.study_notes import StudyMethod
from studio.data.splits import SplitPlan
from studio.gui.pages.compare.draft import StudyDraft, list_presets, make_draft_from_preset
from studio.gui.pages.compare.setup_form import make_space_rows
from studio.gui.pages.compare.study_descriptions import describe_size
from studio.gui.pages.compare.targets import (
    list_tables,
    make_data_entry_by_name,
    make_data_entry_from_file,
)
from studio.runs.settings import TableChoices
from studio.space.library import ShippedSpace
from tests.facts import contains_facts


def two_methods(draft: StudyDraft) -> StudyDraft:
    return draft.with_changes(methods=(StudyMethod("RS", "RS"), StudyMethod("EO-sqm", "EO-sqm")))


def test_draft_lists_missing_steps(tmp_path: Path) -> None:
    draft = StudyDraft()
    assert "one data set" in draft.get_blocking_problem()
    draft = draft.with_data([make_data_entry_from_file(tmp_path / "a.csv")])
    assert "two methods" in draft.get_blocking_problem()
    draft = two_methods(draft)
    assert draft.get_blocking_problem() == ""
    assert (
        "keep test rows" in draft.with_changes(split=SplitPlan(0.7, 0.3, 0)).get_blocking_problem()
    )


def test_draft_describes_study() -> None:
    draft = two_methods(StudyDraft(budget=20, repetitions=5, workers=2)).with_data(
        [make_data_entry_by_name("digits"), make_data_entry_by_name("diabetes")]
    )
    assert draft.n_runs == 20
    text = describe_size(draft)
    assert contains_facts(text, "2 data sets", "2 methods", "5 repetitions", "20 runs", "20 trials")
    assert "not known" in draft.describe_duration(20)


def test_time_split_gives_no_conclusion_on_one_data_set(tmp_path: Path) -> None:
    by_time = make_data_entry_from_file(tmp_path / "a.csv", "y", TableChoices(roles={"on": "time"}))
    draft = StudyDraft(repetitions=10).with_data([by_time])
    assert "same rows" in draft.describe_power()
    assert draft.with_data([make_data_entry_by_name("digits")]).describe_power() == ""


def test_size_has_no_number_of_runs_before_tables_are_read() -> None:
    draft = two_methods(StudyDraft(repetitions=3)).with_data([make_data_entry_by_name("digits")])
    assert contains_facts(describe_size(draft, 2), "2 left out", "4 runs")
    assert "runs" not in describe_size(draft, None)


def test_time_limit_of_runs_determines_duration() -> None:
    draft = two_methods(StudyDraft(budget=None, seconds=30.0, repetitions=3, workers=2)).with_data(
        [make_data_entry_by_name("digits")]
    )
    assert contains_facts(describe_size(draft), "6 runs", "30 s")
    assert contains_facts(draft.describe_duration(6), "6 runs of 30 s", "1 min 30 s")
    assert contains_facts(draft.describe_duration(4), "4 runs", "1 min")
    on_cluster = draft.with_changes(cluster="tcp://10.0.0.5:8786")
    assert "not known" in on_cluster.describe_duration(6), "its number of workers is not known"
    both = draft.with_changes(budget=15)
    assert contains_facts(describe_size(both), "15 trials", "30 s")
    assert "first model" in both.describe_duration(6)
    assert draft.get_blocking_problem() == ""
    assert "time" in draft.with_changes(seconds=None).get_blocking_problem()
    study = parse_study(draft.to_study())
    assert (study.budget, study.seconds) == (None, 30.0)


def test_draft_converts_to_selected_study(tmp_path: Path) -> None:
    draft = two_methods(StudyDraft(budget=7, seed=3)).with_data(
        [make_data_entry_from_file(tmp_path / "a.csv", "y"), make_data_entry_by_name("digits")]
    )
    study = parse_study(draft.to_study())
    assert study.data == (str(tmp_path / "a.csv"), "digits")
    assert study.target == {"a": "y", "digits": "digit"}
    assert [each.name for each in study.methods] == ["RS", "EO-sqm"]
    assert (study.budget, study.seed, study.spaces) == (7, 3, (None,))
    assert StudyDraft.from_json(draft.to_json()) == draft


def test_task_default_space_excludes_others() -> None:
    draft = two_methods(StudyDraft()).with_data([make_data_entry_by_name("digits")])
    assert draft.spaces == (None,)
    draft = draft.with_space("svm-rbf", True).with_space("forest-smbeo", True)
    assert draft.spaces == ("svm-rbf", "forest-smbeo")
    assert draft.with_space("svm-rbf", True).spaces == ("forest-smbeo", "svm-rbf")
    assert draft.n_runs == 20
    assert contains_facts(describe_size(draft), "1 data set ", "2 spaces", "2 methods")
    assert parse_study(draft.to_study()).spaces == ("svm-rbf", "forest-smbeo")
    assert draft.with_space(None, True).spaces == (None,)
    one = draft.with_space("svm-rbf", False)
    assert one.spaces == ("forest-smbeo",)
    assert one.with_space("forest-smbeo", False).spaces == (None,)
    assert one.with_space(None, False).spaces == (None,)


def test_space_rows_describe_supported_tasks() -> None:
    spaces = [
        ShippedSpace("svr", "SVR", "Lines.", ("regression",), Path()),
        ShippedSpace("svm", "SVM", "Edges.", ("binary", "multiclass"), Path()),
        ShippedSpace("cnn", "CNN", "Nets.", ("binary", "regression"), Path()),
    ]
    rows = make_space_rows(spaces, ("own.json", "svm"))
    assert [row.key for row in rows] == [None, "own.json", "svr", "svm", "cnn"]
    assert [row.entry for row in rows] == [None, "own.json", "svr", "svm", "cnn"]
    assert [row.texts[1] for row in rows[2:]] == ["numbers", "classes", "classes or numbers"]


@pytest.mark.parametrize("key", [each.key for each in list_presets()])
@pytest.mark.parametrize("size", ["quick", "full"])
def test_shipped_studies_become_drafts(key: str, size: str, tmp_path: Path) -> None:
    draft = make_draft_from_preset(key, size, None, 2)
    assert len(draft.methods) >= 2
    missing = [each for each in draft.data if each.is_path_unknown]
    assert missing
    assert missing[0].name in draft.get_blocking_problem()
    for each in missing:
        (tmp_path / f"{each.name}.csv.gz").touch()
    complete_draft = draft.find_in_folder(tmp_path)
    assert complete_draft.get_blocking_problem() == ""
    assert len(parse_study(complete_draft.to_study()).data) == len(draft.data)


def test_folder_lists_tables_only(tmp_path: Path) -> None:
    for name in ("b.csv", "a.csv.gz", "notes.txt", "c.tsv"):
        (tmp_path / name).touch()
    (tmp_path / "folder.csv").mkdir()
    assert [path.name for path in list_tables(tmp_path)] == ["a.csv.gz", "b.csv", "c.tsv"]
    assert list_tables(tmp_path / "nowhere") == ()


def test_data_sets_are_replaced_by_name_and_removed(tmp_path: Path) -> None:
    draft = StudyDraft().with_data(
        [
            make_data_entry_from_file(tmp_path / "a.csv"),
            make_data_entry_from_file(tmp_path / "b.csv"),
        ]
    )
    draft = draft.with_data([make_data_entry_from_file(tmp_path / "x" / "a.csv")]).with_target(
        "a", " y "
    )
    assert [(each.name, each.target) for each in draft.data] == [("a", "y"), ("b", "")]
    assert draft.data[0].location == str(tmp_path / "x" / "a.csv")
    repeated = draft.with_data([make_data_entry_from_file(tmp_path / "a.csv")])
    assert [(each.name, each.target) for each in repeated.data] == [("a", "y"), ("b", "")]
    assert [each.name for each in draft.drop_data(["a"]).data] == ["b"]


def test_draft_describes_power_of_repetitions() -> None:
    draft = StudyDraft()
    enough = choose_repetitions(draft.split.test)
    too_few = draft.with_changes(repetitions=2).describe_power()
    assert contains_facts(too_few, f"at least {MIN_REPETITIONS} repetitions", f"{enough}")
    assert f"{enough} repetitions" in draft.with_changes(repetitions=3).describe_power()
    assert draft.with_changes(repetitions=enough).describe_power() == ""
