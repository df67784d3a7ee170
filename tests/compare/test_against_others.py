"""Arguments of ``studio compare``: kinds, methods of other libraries, early errors."""

import argparse
from dataclasses import replace
from pathlib import Path

import pytest

from studio.cli.compare import make_study
from studio.cli.entry import make_parser
from studio.compare.cells import enumerate_cells
from studio.compare.choices import ComputeResources, StudySettings
from studio.compare.coordinator import make_coordinator_command
from studio.compare.datasets import load_dataset
from studio.compare.methods import check_installed, find_peer_methods, list_libraries
from studio.compare.study_notes import Dataset, StudyMethod
from studio.compare.study_runner import run_study
from studio.compare.targets import advise_on_texts_of, list_stored_entries
from studio.document.store import Document
from studio.errors import UsageError
from studio.proposers import optuna
from studio.runs.settings import RunSettings, TableChoices
from studio.setting import get_setting_names
from tests.facts import about, facts


def parse_study(folder: Path, *more: str) -> argparse.Namespace:
    (folder / "a.csv").write_text("x,target\n" + "1,0\n2,1\n" * 30)
    arguments: argparse.Namespace = make_parser().parse_args(
        ["compare", str(folder), "-o", str(folder / "s.studio"), *more]
    )
    return arguments


def test_peers_are_added_to_study_once(tmp_path: Path) -> None:
    study = make_study(
        parse_study(tmp_path, "--methods", "RS,optuna", "--with", "optuna, optuna-gp")
    )
    assert [each.name for each in study.methods] == ["RS", "optuna", "optuna-gp"]


def test_study_settings_are_passed_to_runs(tmp_path: Path) -> None:
    study = make_study(parse_study(tmp_path, "--no-refit", "--budget", "7", "--trial-seconds", "9"))
    first, *_ = enumerate_cells(study, [Dataset("a", 1, "target", "binary", 60)])
    for name in {*get_setting_names(StudySettings)} & {*get_setting_names(RunSettings)} - {"seed"}:
        expected = getattr(study, name) if name != "metric" else "error"
        assert getattr(first.settings, name) == expected, name
    assert not first.settings.refit


@pytest.mark.parametrize("place", [ComputeResources(3), ComputeResources(1, "local:2")])
def test_coordinator_command_contains_workers_or_cluster(
    place: ComputeResources, tmp_path: Path
) -> None:
    command = make_coordinator_command(tmp_path / "s.studio", place)
    argv = command[command.index("conduct") :]
    arguments = make_parser(argv[:1]).parse_args(argv)
    assert (arguments.workers, arguments.cluster) == (
        (None, "local:2") if place.cluster else (3, None)
    )


def test_kinds_apply_to_all_data_sets_and_end_advice_about_words(tmp_path: Path) -> None:
    words = ["refund", "late", "parcel", "invoice", "login", "crash", "screen", "thanks"]
    rows = [
        f"{' '.join(words[(n * k) % 8] for k in (1, 3, 5))} {n},{n % 7},{'yn'[n % 2]}"
        for n in range(90)
    ]
    for name in ("one", "two"):
        (tmp_path / f"{name}.csv").write_text("\n".join(["note,size,team", *rows]) + "\n")
    advice = {}
    for kinds in ((), ("--kind", "note=text")):
        arguments = make_parser().parse_args(
            ["compare", str(tmp_path), "--methods", "RS", "--budget", "2", *kinds]
        )
        study = make_study(arguments)
        assert {name: study.get_choices(name).kinds for name in ("one", "two")} == dict.fromkeys(
            ("one", "two"), {"note": "text"} if kinds else {}
        )
        with Document.create(tmp_path / f"{len(kinds)}.studio") as document:
            for entry in study.data:
                load_dataset(document, study, entry)
            advice[kinds] = advise_on_texts_of(document, list_stored_entries(document, study))
    choices = TableChoices(roles={"note": "feature"})
    decided = replace(study, tables=dict.fromkeys(("one", "two"), choices))
    with Document.create(tmp_path / "decided.studio") as document:
        for entry in study.data:
            load_dataset(document, decided, entry)
        assert advise_on_texts_of(document, list_stored_entries(document, decided)) == ()
    by_default, as_text = advice.values()
    assert [facts(each)["name"] for each in by_default] == ["one", "two"] and as_text == ()
    arguments.kind = ["note=novel"]
    with pytest.raises(UsageError, match="novel"):
        make_study(arguments)


def test_shipped_study_is_found_beside_table_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "divbo").mkdir()
    monkeypatch.chdir(tmp_path)
    arguments = parse_study(tmp_path, "--size", "quick")
    arguments.study = "divbo"
    assert make_study(arguments).seed == 7
    arguments.study = "./divbo"
    with pytest.raises(UsageError, match="no table"):
        make_study(arguments)


def test_own_methods_are_not_peers() -> None:
    with pytest.raises(UsageError, check=about(name="'SMAC'", presets="optuna, optuna-gp")):
        find_peer_methods(["SMAC"])


def test_missing_peer_library_is_reported_before_start(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(optuna, "find_spec", lambda _: None)
    arguments = parse_study(tmp_path, "--methods", "RS", "--with", "optuna,optuna-gp")
    study = make_study(arguments)
    with pytest.raises(UsageError, match=r"\"optuna.* \"optuna.*torch"):
        run_study(arguments.output, study, 1, lambda _: None)
    assert not arguments.output.exists()


def test_method_with_peer_proposer_needs_library(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(optuna, "find_spec", lambda _: None)
    method = StudyMethod("mine", "RS-post", {"proposer": "optuna-tpe"})
    with pytest.raises(UsageError, match="Optuna TPE"):
        check_installed([method, StudyMethod("RS", "RS")])
    assert list_libraries([method, StudyMethod("RS", "RS")]) == ("optuna",)
