"""The set-up's draft: what it means, and what is missing."""

from pathlib import Path

import pytest

from studio.compare.study import study_of
from studio.gui.compare.draft import (
    StudyDraft,
    from_preset,
    of_file,
    of_name,
    presets,
    tables_in,
)


def method(name: str) -> dict[str, object]:
    return {"name": name, "method": name, "set": {}}


def two_methods(draft: StudyDraft) -> StudyDraft:
    return draft.with_method(method("RS"), True).with_method(method("EO-sqm"), True)


def test_it_says_what_is_missing_step_by_step(tmp_path: Path) -> None:
    draft = StudyDraft()
    assert "at least one data set" in draft.obstacle()
    draft = draft.with_data([of_file(tmp_path / "a.csv")])
    assert "at least two methods" in draft.obstacle()
    draft = two_methods(draft)
    assert draft.obstacle() == ""
    assert "keep rows for the test" in draft.changed(split={**draft.split, "test": 0}).obstacle()


def test_it_says_what_it_means() -> None:
    draft = two_methods(StudyDraft(budget=20, repetitions=5, workers=2)).with_data(
        [of_name("digits"), of_name("diabetes")]
    )
    assert draft.n_runs == 20
    assert draft.sentence() == (
        "2 data sets × 2 methods × 5 repetitions = 20 runs, each of 20 trials"
    )
    assert "after the first runs" in draft.time_words(None)
    assert "About 10 min" in draft.time_words(3.0)


def test_the_study_is_what_was_chosen(tmp_path: Path) -> None:
    draft = two_methods(StudyDraft(budget=7, seed=3)).with_data(
        [of_file(tmp_path / "a.csv", "y"), of_name("digits")]
    )
    study = study_of(draft.to_study(), tmp_path)
    assert study.data == (str(tmp_path / "a.csv"), "digits")
    assert study.target == {"a": "y", "digits": "digit"}
    assert [each.name for each in study.methods] == ["RS", "EO-sqm"]
    assert (study.budget, study.seed, study.spaces) == (7, 3, (None,))
    assert StudyDraft.from_json(draft.to_json()) == draft


@pytest.mark.parametrize("key", [each.key for each in presets()])
@pytest.mark.parametrize("size", ["quick", "full"])
def test_every_shipped_study_becomes_a_draft(key: str, size: str, tmp_path: Path) -> None:
    draft = from_preset(key, size, None, 2)
    assert len(draft.methods) >= 2
    missing = [each for each in draft.data if each.missing]
    assert missing
    assert missing[0].name in draft.obstacle()
    for each in missing:
        (tmp_path / f"{each.name}.csv.gz").touch()
    whole = draft.found_in(tmp_path)
    assert whole.obstacle() == ""
    assert len(study_of(whole.to_study(), tmp_path).data) == len(draft.data)


def test_a_folder_gives_its_tables_and_nothing_else(tmp_path: Path) -> None:
    for name in ("b.csv", "a.csv.gz", "notes.txt", "c.tsv"):
        (tmp_path / name).touch()
    (tmp_path / "folder.csv").mkdir()
    assert [path.name for path in tables_in(tmp_path)] == ["a.csv.gz", "b.csv", "c.tsv"]
    assert tables_in(tmp_path / "nowhere") == ()


def test_data_sets_are_replaced_by_name_and_taken_out(tmp_path: Path) -> None:
    draft = StudyDraft().with_data([of_file(tmp_path / "a.csv"), of_file(tmp_path / "b.csv")])
    draft = draft.with_data([of_file(tmp_path / "x" / "a.csv")]).with_target("a", " y ")
    assert [(each.name, each.target) for each in draft.data] == [("a", "y"), ("b", "")]
    assert draft.data[0].place == str(tmp_path / "x" / "a.csv")
    assert [each.name for each in draft.without_data(["a"]).data] == ["b"]
