"""Losses of a target that is written with a unit have that unit wherever they are shown."""

from pathlib import Path
from types import SimpleNamespace
from typing import cast

import numpy as np
import pytest

from studio.analysis.chosen_rows import Expecting, pieces_of
from studio.analysis.chosen_words import expected_words
from studio.analysis.summary import summary
from studio.cli.entry import main
from studio.document.store import Document
from studio.export.formats.base import Job
from studio.export.formats.registry import format_named
from studio.export.predict import predict_table
from studio.export.predictions import rows_of
from studio.gui.pages.results.who_first.rows import RowOrder
from studio.gui.plots.base.subjects import measure_of
from studio.gui.session.run_data import RunData
from studio.gui.session.run_view import RunView
from studio.gui.session.wording import loss
from studio.measure import Measure, added_loss, unit_of_losses
from studio.questions.columns import affordable_effects
from studio.questions.columns.answer import Plan, rise_text
from studio.questions.columns.figure import rise_label
from studio.runs.settings import RunSettings, Source
from tests.export.conftest import finished


@pytest.fixture(scope="module")
def priced(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, int]:
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
    return finished(folder / "work.studio", table, method="EO-mse", budget=4)


@pytest.mark.parametrize(
    ("unit", "target_unit", "shown"),
    [("target", "€", "€"), ("target", "", "target"), ("%", "€", "%"), ("", "€", ""),
     # In "%" losses are shares, which those of percentages are not.
     ("target", "%", "target")],
)  # fmt: skip
def test_the_unit_of_losses_is_that_of_the_targets_cells(
    unit: str, target_unit: str, shown: str
) -> None:
    assert unit_of_losses(unit, target_unit) == shown


def test_loss_texts_have_units() -> None:
    assert loss(1234.5, "€") == Measure("rmse", "€").text(1234.5)
    texts = [loss(1234.5, "€"), Measure("rmse", "€").difference(3.0), added_loss(53.7, "€")]
    assert all(text.endswith("\N{NO-BREAK SPACE}€") for text in texts)
    assert not loss(1234.5, "target").endswith("target")
    settings = RunSettings(source=Source(task="regression"), metric="rmse")
    assert measure_of(settings, "€").unit == "€"


def test_the_window_knows_the_unit_of_a_run(priced: tuple[Path, int]) -> None:
    path, run_id = priced
    with Document.open(path, writable=False) as document:
        row = document.runs.get(run_id)
        view = cast("RunView", SimpleNamespace(row=row, metric="rmse"))
        assert RunData(lambda: document).unit(view) == "€"
        assert RunData(lambda: None).unit(view) == "target"


def test_the_report_and_the_command_show_it(
    priced: tuple[Path, int], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path, run_id = priced
    with Document.open(path) as document:
        found = summary(document, run_id)
        format_named("report").export(Job(document, run_id, tmp_path / "r.html"))
    assert found.unit == "€"
    assert main(["show", str(path)]) == 0
    lines = capsys.readouterr().out.splitlines()
    shown = [line for line in lines if line.strip().startswith(("best v", "test,"))]
    assert len(shown) == 4
    assert all(line.endswith("€") for line in shown)
    report = (tmp_path / "r.html").read_text(encoding="utf-8")
    members = report[report.index("Adds, validation") :]
    assert members[: members.index("</table>")].count("€") >= 3
    assert "unit of price" not in report


def test_importance_figures_have_target_unit(priced: tuple[Path, int]) -> None:
    path, run_id = priced
    found = affordable_effects(path, run_id, lambda *_: None)
    assert found.unit == "€"
    assert "€" in rise_text(found, 0)
    assert rise_label(found).endswith("(€)")
    assert "€" in found.plan.mean_title
    assert "price" in Plan(target="price").mean_title


def test_new_rows_and_sum_have_target_unit(priced: tuple[Path, int], tmp_path: Path) -> None:
    path, run_id = priced
    (tmp_path / "new.csv").write_text("rooms\n2\n5\n4\n", encoding="utf-8")
    with Document.open(path) as document:
        predicted = predict_table(document, run_id, tmp_path / "new.csv", expecting=True)
    rows = rows_of(predicted)
    words = expected_words(Expecting.of(rows, 0).expected_outcome(pieces_of(rows, np.arange(3), 0)))
    assert words.count("\N{NO-BREAK SPACE}€") >= 4
    assert "€" in RowOrder(rows).columns[1].title
