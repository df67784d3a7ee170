"""Losses of a target with a unit are displayed with that unit everywhere."""

from pathlib import Path
from types import SimpleNamespace
from typing import cast

import numpy as np
import pytest

from studio.analysis.selected_rows import OutcomeEstimator, make_row_groups
from studio.analysis.selected_rows_text import describe_expected_outcome
from studio.analysis.summary import summarise_run
from studio.cli.entry import main
from studio.document.store import Document
from studio.export.formats.base import ExportJob
from studio.export.formats.registry import get_format
from studio.export.predict import predict_table
from studio.export.predictions import format_rows
from studio.gui.pages.results.who_first.rows import RowOrder
from studio.gui.plots.base.subjects import get_measure
from studio.gui.session.run_data import RunData
from studio.gui.session.run_view import RunView
from studio.measure import Measure, format_loss, format_loss_increase, get_loss_unit
from studio.questions.columns import compute_affordable_effects
from studio.questions.columns.answer import ColumnEffectsPlan, format_rise
from studio.questions.columns.figure import get_rise_label
from studio.runs.settings import RunSettings, TableSource
from tests.export.conftest import make_finished_run


@pytest.fixture(scope="module")
def run_in_euro(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, int]:
    """Return a run on prices in euro."""
    rng = np.random.default_rng(4)
    folder = tmp_path_factory.mktemp("prices")
    lines = ["rooms;price"]
    for _ in range(160):
        rooms = rng.integers(1, 7)
        price = f"{300 * rooms + 40 * rng.normal():,.2f} €".translate(str.maketrans(",.", ".,"))
        lines.append(f"{rooms};{price}")
    table = folder / "prices.csv"
    table.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return make_finished_run(folder / "work.studio", table, method="EO-mse", budget=4)


@pytest.mark.parametrize(
    ("unit", "target_unit", "shown"),
    [("target", "€", "€"), ("target", "", "target"), ("%", "€", "%"), ("", "€", ""),
     # "%" would look like a share, which the loss of percentages is not.
     ("target", "%", "target")],
)  # fmt: skip
def test_loss_unit_equals_target_unit(unit: str, target_unit: str, shown: str) -> None:
    assert get_loss_unit(unit, target_unit) == shown


def test_loss_texts_have_units() -> None:
    assert format_loss(1234.5, "€") == Measure("rmse", "€").format_loss(1234.5)
    texts = [
        format_loss(1234.5, "€"),
        Measure("rmse", "€").format_difference(3.0),
        format_loss_increase(53.7, "€"),
    ]
    assert all(text.endswith("\N{NO-BREAK SPACE}€") for text in texts)
    assert not format_loss(1234.5, "target").endswith("target")
    settings = RunSettings(source=TableSource(task="regression"), metric="rmse")
    assert get_measure(settings, "€").unit == "€"


@pytest.mark.slow
def test_window_shows_loss_unit(run_in_euro: tuple[Path, int]) -> None:
    path, run_id = run_in_euro
    with Document.open(path, writable=False) as document:
        row = document.runs.get(run_id)
        view = cast("RunView", SimpleNamespace(row=row, metric="rmse"))
        assert RunData(lambda: document).get_loss_unit(view) == "€"
        assert RunData(lambda: None).get_loss_unit(view) == "target"


@pytest.mark.slow
def test_report_and_command_show_loss_unit(
    run_in_euro: tuple[Path, int], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path, run_id = run_in_euro
    with Document.open(path) as document:
        summary = summarise_run(document, run_id)
        get_format("report").export(ExportJob(document, run_id, tmp_path / "r.html"))
    assert summary.unit == "€"
    assert main(["show", str(path)]) == 0
    lines = capsys.readouterr().out.splitlines()
    loss_lines = [line for line in lines if line.strip().startswith(("validation,", "test,"))]
    assert len(loss_lines) == 6, "that before the refit, too"
    assert all(line.endswith("€") for line in loss_lines)
    report = (tmp_path / "r.html").read_text(encoding="utf-8")
    members = report[report.index("Contribution, validation") :]
    assert members[: members.index("</table>")].count("€") >= 3
    assert "unit of price" not in report


@pytest.mark.slow
def test_importance_figures_have_target_unit(run_in_euro: tuple[Path, int]) -> None:
    path, run_id = run_in_euro
    effects = compute_affordable_effects(path, run_id, lambda *_: None)
    assert effects.unit == "€"
    assert "€" in format_rise(effects, 0)
    assert get_rise_label(effects).endswith("(€)")
    assert "€" in effects.plan.mean_title
    assert "price" in ColumnEffectsPlan(target="price").mean_title


def test_new_rows_and_sum_have_target_unit(run_in_euro: tuple[Path, int], tmp_path: Path) -> None:
    path, run_id = run_in_euro
    (tmp_path / "new.csv").write_text("rooms\n2\n5\n4\n", encoding="utf-8")
    with Document.open(path) as document:
        predicted = predict_table(
            document, run_id, tmp_path / "new.csv", with_expected_outcome=True
        )
    rows = format_rows(predicted)
    text = describe_expected_outcome(
        OutcomeEstimator.learn(rows, 0).estimate_outcome(make_row_groups(rows, np.arange(3), 0))
    )
    assert text.count("\N{NO-BREAK SPACE}€") >= 4
    assert RowOrder(rows).get_text(0, 1).endswith("€")


@pytest.mark.slow
def test_pickle_reports_different_currency(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    rng = np.random.default_rng(4)
    fees = rng.uniform(1, 90, 120).round(2).tolist()
    table = tmp_path / "fees.csv"
    rows = [f"{fee:.2f} €;{'yes' if fee > 40 else 'no'}" for fee in fees]
    table.write_text("\n".join(["fee;late", *rows]) + "\n", encoding="utf-8")
    source = TableSource(str(table), target="late")
    path, run_id = make_finished_run(tmp_path / "w.studio", table, source=source, budget=2)
    model, output_path = tmp_path / "m.pkl", tmp_path / "o.csv"
    with Document.open(path) as document:
        get_format("pickle").export(ExportJob(document, run_id, model))
    for sign, is_noted in (("$", True), ("€", False)):
        new = tmp_path / "new.csv"
        new.write_text(f"fee\n{sign}80.00\n{sign}5.00\n", encoding="utf-8")
        assert main(["predict", str(model), str(new), "--trust", "-o", str(output_path)]) == 0
        assert ("“fee” is in $ here" in capsys.readouterr().err) is is_noted
        answers = [line.split(",")[0] for line in output_path.read_text("utf-8").splitlines()[1:]]
        assert (len(set(answers)) == 1) is is_noted
