"""Caveats about missing columns, dates beyond training, and dominant columns."""

import datetime
import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from studio.analysis.answers.rows import ExpectedOutcome
from studio.analysis.selected_rows import OutcomeEstimator, make_row_groups
from studio.analysis.selected_rows_text import CAUTION, describe_expected_outcome
from studio.analysis.verdict import make_verdict
from studio.cli.entry import main
from studio.document.store import Document
from studio.export.formats.base import ExportJob
from studio.export.formats.registry import get_format
from studio.export.predict import NO_VALID_INTERVALS, predict_table
from studio.export.predictions import format_rows
from studio.export.report.facts import gather_facts
from studio.export.report.page import render_page
from studio.helper.tables import check_table
from studio.printable import escape_markup
from studio.questions.columns import answer
from studio.questions.columns.answer import describe_dominant_column, find_dominant_columns
from studio.runs.prepare import prepare
from studio.runs.settings import TableSource
from tests.export.conftest import make_finished_run
from tests.facts import contains_facts

pytestmark = pytest.mark.slow

FIRST = datetime.date(2024, 1, 1)


def write_bookings(path: Path, start: int, rows: int, *, without: str = "") -> Path:
    """Write daily bookings from a day on, mostly determined by the fee."""
    rng = np.random.default_rng(abs(start))
    columns = {
        "arrival": [f"{FIRST + datetime.timedelta(start + row):%d.%m.%Y}" for row in range(rows)],
        "fee": rng.integers(0, 100, rows),
        "nights": rng.integers(1, 9, rows),
    }
    is_noise = rng.random(rows) < 0.05
    columns["cancelled"] = np.where((columns["fee"] > 70) != is_noise, "yes", "no")  # type: ignore[operator]
    columns.pop(without, None)
    rows_of_text = zip(*columns.values(), strict=True)
    lines = [",".join(columns), *(",".join(map(str, row)) for row in rows_of_text)]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


@pytest.fixture(scope="module")
def booking_run(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, int]:
    """Return a run on the first 240 bookings."""
    folder = tmp_path_factory.mktemp("bookings")
    table = write_bookings(folder / "old.csv", 0, 240)
    return make_finished_run(
        folder / "work.studio", table, source=TableSource(str(table), target="cancelled")
    )


@pytest.mark.parametrize(("start", "beyond"), [(400, "100 %"), (200, "22 %"), (60, "")])
def test_dates_beyond_training_are_reported_with_remedy(
    booking_run: tuple[Path, int], tmp_path: Path, start: int, beyond: str
) -> None:
    with Document.open(booking_run[0]) as document:
        caution = predict_table(
            document, booking_run[1], write_bookings(tmp_path / "n.csv", start, 50)
        ).caution
    assert (
        contains_facts(caution, "“arrival”", beyond, "“time”")
        if beyond
        else "arrival" not in caution
    )


def test_dates_before_training_get_no_remedy(booking_run: tuple[Path, int], tmp_path: Path) -> None:
    with Document.open(booking_run[0]) as document:
        caution = predict_table(
            document, booking_run[1], write_bookings(tmp_path / "n.csv", -90, 50)
        ).caution
    assert contains_facts(caution, "“arrival”", "01.01.2024", "100 %")
    assert "“time”" not in caution


def test_run_with_time_column_gets_no_remedy(tmp_path: Path) -> None:
    table = write_bookings(tmp_path / "old.csv", 0, 160)
    source = TableSource(str(table), target="cancelled", roles={"arrival": "time"})
    path, run_id = make_finished_run(tmp_path / "t.studio", table, source=source, budget=3)
    new = write_bookings(tmp_path / "n.csv", 400, 50)
    with Document.open(path) as document:
        predicted = predict_table(document, run_id, new, with_expected_outcome=True)
        prepared_run = prepare(document, run_id)
    assert predicted.caution in ("", CAUTION)
    # The test rows, which are the latest, are the last rows used for the estimate.
    unseen, test = predicted.unseen_rows, prepared_run.split.test
    assert unseen is not None and unseen.units is not None
    assert unseen.by_time
    assert len(unseen.truth) == len(prepared_run.split.validation) + len(test)
    assert unseen.truth[-len(test) :].tolist() == prepared_run.problem.y[test].tolist()
    assert (np.diff(unseen.units) >= 0).all()
    right = (unseen.predictions.argmax(axis=1) == unseen.truth)[-len(test) :]
    assert right.mean() > 0.8


def test_duplicates_in_time_order_are_not_grouped(tmp_path: Path) -> None:
    table = write_bookings(tmp_path / "once.csv", 0, 80)
    lines = table.read_text().splitlines()
    later = [f"{FIRST + datetime.timedelta(80 + row):%d.%m.%Y}" for row in range(80)]
    repeated = [
        f"{day},{line.split(',', 1)[1]}" for day, line in zip(later, lines[1:], strict=True)
    ]
    table.write_text("\n".join([*lines, *repeated]) + "\n")
    source = TableSource(str(table), target="cancelled", roles={"arrival": "time"})
    path, run_id = make_finished_run(tmp_path / "t.studio", table, source=source, budget=2)
    with Document.open(path) as document:
        prepared_run = prepare(document, run_id)
    rows = prepared_run.split.test
    assert prepared_run.get_unit_kind(rows) == "times"
    units = prepared_run.get_units(rows)
    assert units is not None
    assert units.max() < 6  # blocks of the 32 rows


def test_predict_reports_dates_beyond_training(
    booking_run: tuple[Path, int], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    argv = [
        "predict",
        str(booking_run[0]),
        str(write_bookings(tmp_path / "n.csv", 400, 50)),
        "--top",
        "9",
    ]
    assert main(argv) == 0
    assert contains_facts(capsys.readouterr().err, "“arrival”", "“time”")
    assert main([*argv, "--json"]) == 0
    answer = json.loads(capsys.readouterr().out.splitlines()[-1])
    assert "“arrival”" in answer["expected"]["caution"]


def test_unreadable_column_is_reported_first_with_importance(
    booking_run: tuple[Path, int], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    new = write_bookings(tmp_path / "n.csv", 60, 50)
    header, *rows = new.read_text().splitlines()
    cells = [line.split(",") for line in rows]
    lines = [
        ",".join((day, f"level {chr(97 + int(fee) % 9)}", *others)) for day, fee, *others in cells
    ]
    new.write_text("\n".join([header, *lines]) + "\n", encoding="utf-8")
    with Document.open(booking_run[0]) as document:
        predicted = predict_table(document, booking_run[1], new)
    note = format_rows(predicted).missing_columns_note
    assert contains_facts(note, "“fee” cannot be read", "test rows")
    assert predicted.notes[0] == note
    others = {*predicted.notes[1:], *predicted.training_comparison.sentences} - {
        predicted.no_estimate_reason
    }
    assert not [each for each in others if "fee" in each]
    assert predicted.caution == CAUTION
    assert main(["predict", str(booking_run[0]), str(new), "-o", str(tmp_path / "o.csv")]) == 0
    assert "note: “fee” cannot be read" in capsys.readouterr().err
    assert not check_table(booking_run[0], booking_run[1], new).is_compared


def test_missing_column_is_reported_with_importance(
    booking_run: tuple[Path, int], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path, run_id = booking_run
    notes_by_column = {}
    with Document.open(path) as document:
        for name in ("fee", "nights", ""):
            new = write_bookings(tmp_path / f"n{name}.csv", 60, 50, without=name)
            predicted = predict_table(document, run_id, new)
            notes_by_column[name] = format_rows(predicted).missing_columns_note
            assert not name or notes_by_column[name] in predicted.notes
        prepared_run = prepare(document, run_id)
    metric = prepared_run.metric.title
    assert notes_by_column[""] == ""
    assert "'fee'" in notes_by_column["fee"]
    assert "'nights'" in notes_by_column["nights"]
    losses = {name: notes_by_column[name].values["part_1"].values for name in ("fee", "nights")}  # type: ignore[attr-defined]
    assert losses["fee"]["metric"] == metric
    assert losses["fee"]["count"] == len(prepared_run.split.test)
    assert losses["fee"]["known"] == losses["nights"]["known"]
    assert float(losses["fee"]["empty"].split()[0]) > 2 * float(losses["fee"]["known"].split()[0])
    assert float(losses["nights"]["empty"].split()[0]) < float(losses["fee"]["empty"].split()[0])
    assert main(["predict", str(path), str(tmp_path / "nfee.csv"), "--top", "3"]) == 0
    assert str(notes_by_column["fee"]) in capsys.readouterr().err


@pytest.mark.parametrize(("column", "is_needed"), [("fee", True), ("nights", False)])
def test_expected_outcome_is_omitted_without_decisive_column(
    booking_run: tuple[Path, int],
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    column: str,
    is_needed: bool,
) -> None:
    header, *rows = write_bookings(tmp_path / "n.csv", 60, 50).read_text().splitlines()
    index = header.split(",").index(column)
    emptied = [",".join(("" if i == index else cell) for i, cell in enumerate(row.split(",")))
               for row in rows]  # fmt: skip
    new = tmp_path / "n.csv"
    new.write_text("\n".join([header, *emptied]) + "\n", encoding="utf-8")
    with Document.open(booking_run[0]) as document:
        predicted = predict_table(document, booking_run[1], new, with_expected_outcome=True)
    assert predicted.deciding_columns == ((column,) if is_needed else ())
    assert (predicted.unseen_rows is None) == is_needed
    assert (
        main(["predict", str(booking_run[0]), str(new), "--top", "9", "-o", str(new) + "o.csv"])
        == 0
    )
    printed = capsys.readouterr().err
    assert printed.count("No forecast") == is_needed
    assert ("expected to be" in printed) != is_needed


def write_costs(path: Path, start: int, rows: int, *, empty: bool = False) -> Path:
    """Write costs that are nearly ten times the days; ``empty``: without any days."""
    numbers = range(start, start + rows)
    lines = [f"{row * 37 % 41 if not empty else ''},{row % 5}" for row in numbers]
    targets = [f"{row * 37 % 41 * 10 + row % 7 / 3:.2f}" for row in numbers]
    rows_of_text = (f"{line},{target}" for line, target in zip(lines, targets, strict=True))
    path.write_text("\n".join(["days,ward,cost", *rows_of_text]) + "\n", encoding="utf-8")
    return path


def test_no_intervals_without_decisive_column(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path, run_id = make_finished_run(
        tmp_path / "c.studio",
        write_costs(tmp_path / "old.csv", 0, 300),
        method="EO-mse",
        source=TableSource(str(tmp_path / "old.csv"), target="cost"),
    )
    for is_empty in (False, True):
        new = write_costs(tmp_path / "new.csv", 300, 60, empty=is_empty)
        with Document.open(path) as document:
            predicted = predict_table(document, run_id, new, interval=0.9)
            without = predict_table(document, run_id, new)
        assert predicted.deciding_columns == ("days",) * is_empty
        assert (predicted.intervals is None) == is_empty
        assert format_rows(predicted).intervals.shape == (60, 0 if is_empty else 2)
        assert (NO_VALID_INTERVALS in predicted.no_estimate_reason) == is_empty
        # Nobody asked for intervals.
        assert NO_VALID_INTERVALS not in without.no_estimate_reason
        output = tmp_path / f"{is_empty}.csv"
        arguments = ["predict", str(path), str(new), "--interval", ".9", "-o", str(output)]
        assert main(arguments) == 0
        assert (NO_VALID_INTERVALS in capsys.readouterr().err) == is_empty
        assert ("90 %" in output.read_text(encoding="utf-8-sig").splitlines()[0]) != is_empty


def write_rare_codes(path: Path, rows: int, every: int) -> Path:
    """Write rows, each ``every``-th with a code that determines the outcome; none for 0."""
    lines = ["size,code,outcome"]
    for row in range(rows):
        code = "ab"[row % 2] if every and row % every == 0 else ""
        lines.append(f"{row * 37 % 101},{code},{'yes' if code else 'no'}")
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


def test_rarely_filled_column_is_empty_only_if_rarer_than_in_training(tmp_path: Path) -> None:
    table = write_rare_codes(tmp_path / "old.csv", 1000, 24)
    path, run_id = make_finished_run(
        tmp_path / "work.studio", table, source=TableSource(str(table), target="outcome")
    )
    with Document.open(path) as document:
        for every, deciding in ((24, ()), (0, ("code",))):
            new = write_rare_codes(tmp_path / "new.csv", 125, every)
            assert predict_table(document, run_id, new).deciding_columns == deciding


def test_change_over_time_is_reported() -> None:
    steady = ExpectedOutcome(50, 20.0, 15.0, 25.0, 0.9, 10.0, "yes")
    varied = replace(steady, lowest=0.061, highest=0.112, beyond=7)
    assert contains_facts(describe_expected_outcome(varied), "6.1", "11.2 %", "7 new rows")
    assert not contains_facts(describe_expected_outcome(steady), "over time")


def test_deviating_expected_hits_are_explained(
    booking_run: tuple[Path, int], tmp_path: Path
) -> None:
    with Document.open(booking_run[0]) as document:
        new = write_bookings(tmp_path / "n.csv", 60, 50)
        rows = format_rows(predict_table(document, booking_run[1], new, with_expected_outcome=True))
    outcome = OutcomeEstimator.learn(rows, 1).estimate_outcome(
        make_row_groups(rows, np.arange(50), 1)
    )
    assert outcome.summed == pytest.approx(rows.probabilities[:, 1].sum())
    assert rows.unseen_rows is not None
    # Equally certain predictions on rows of which half were hits: far too certain.
    sure = np.column_stack([np.full(400, 0.1), np.full(400, 0.9)])
    unseen = replace(rows.unseen_rows, predictions=sure, truth=np.arange(400) % 2, units=None)
    surely = replace(rows, probabilities=sure[:50], unseen_rows=unseen, unit_codes=None)
    high = OutcomeEstimator.learn(surely, 1).estimate_outcome(
        make_row_groups(surely, np.arange(50), 1)
    )
    assert contains_facts(describe_expected_outcome(high), "add up to 45", "too high")


@pytest.mark.parametrize("label", ["yes", ""])
@pytest.mark.parametrize("count", [1, 20])
def test_deviation_is_explained_as_too_high_or_low(label: str, count: int) -> None:
    outcome = ExpectedOutcome(
        count, 0.5 * count, 0.2 * count, 0.9 * count, 0.95, 1.0, label, 0.5 * count
    )
    alone = describe_expected_outcome(outcome)
    more = describe_expected_outcome(replace(outcome, summed=0.6 * count))
    less = describe_expected_outcome(replace(outcome, summed=0.4 * count))
    assert more.startswith(alone) and "too high" in more
    assert less.startswith(alone) and "too low" in less
    assert "too" not in alone


@pytest.mark.parametrize(
    ("mean", "summed", "label", "noticed"),
    [
        (8.9, 9.0, "yes", False),
        (8.4, 8.6, "yes", False),
        (100.0, 103.0, "yes", True),
        (8.0, 9.0, "yes", True),
        (100.0, 110.0, "yes", True),
        (0.06, 0.9, "yes", False),
        (0.06, 2.0, "yes", True),
        (1000.0, 1001.0, "", True),
        (1000.0, 1000.01, "", False),
        (1000.0, 1020.0, "", True),
        (-1000.0, -1020.0, "", True),
        (0.0, 0.0, "", False),
    ],
)
def test_noticeable_deviation_of_sum_is_explained(
    mean: float, summed: float, label: str, noticed: bool
) -> None:
    outcome = ExpectedOutcome(50, mean, mean - 1, mean + 1, 0.95, 2.0, label, summed)
    alone = describe_expected_outcome(replace(outcome, summed=float("nan")))
    assert (describe_expected_outcome(outcome) != alone) == noticed


@pytest.mark.parametrize(("mean", "usual", "times"), [(0.059, 2, 1), (3, 0.4, 1), (0.1, 0.4, 2)])
def test_expected_hits_below_one_are_written_in_words(
    mean: float, usual: float, times: int
) -> None:
    text = describe_expected_outcome(ExpectedOutcome(50, mean, 0.0, 3.0, 0.95, usual, "yes"))
    assert text.count("fewer than one") == times
    assert "about 0" not in text
    assert ("about" in text) == (times == 1)


def test_compared_hits_have_equal_decimals() -> None:
    text = describe_expected_outcome(ExpectedOutcome(40, 16.3, 11.0, 21.0, 0.9, 4.8, "yes"))
    assert "about 16 " in text and "about 5." in text
    text = describe_expected_outcome(ExpectedOutcome(40, 4.84, 2.0, 8.0, 0.9, 1.26, "yes"))
    assert "about 5 " in text and "about 1." in text
    text = describe_expected_outcome(ExpectedOutcome(40, 2.24, 0.0, 5.0, 0.9, 1.26, "yes"))
    assert "about 2.2 " in text and "about 1.3." in text


def test_insignificant_deviation_of_expected_outcome_is_omitted() -> None:
    from studio.data.intervals.pieces import RowGroups
    from studio.data.intervals.sums import CalibrationBasis, HitRates

    bends = CalibrationBasis.from_scores(np.linspace(-2, 2, 50))
    exact = HitRates(bends, np.zeros(2 + len(bends.knots)), 1e9 * np.eye(2 + len(bends.knots)))
    pieces = RowGroups.from_predictions(np.linspace(0.1, 0.9, 30))
    outcome = OutcomeEstimator(exact, 0.5, 30, "yes").estimate_outcome(pieces)
    assert outcome.mean == outcome.summed != exact.draw(pieces).mean()
    assert outcome.usual == outcome.mean, "all rows drawn at random are all rows"


def test_verdict_of_report_agrees_with_warning_about_dominant_column(
    booking_run: tuple[Path, int],
) -> None:
    with Document.open(booking_run[0], writable=False) as document:
        facts = gather_facts(document, booking_run[1])
    rises = np.where(np.arange(facts.effects.rises.shape[1]) == 0, 1.0, 0.0)[None]
    effects = replace(
        facts.effects,
        groups=(),
        rises=rises[:, : len(facts.effects.plan.names)],
        is_significant=rises[0, : len(facts.effects.plan.names)] > 0,
        loss=0.01,
    )
    columns = find_dominant_columns(effects)
    assert columns == facts.effects.plan.sources[:1]
    plain = make_verdict(facts.headline, None, facts.row.result)
    dominated = make_verdict(facts.headline, None, facts.row.result, columns)
    assert (plain.grade, dominated.grade) == ("yes", "if known")
    uncertain = replace(effects, is_significant=np.zeros_like(effects.is_significant))
    for each, expected in ((uncertain, plain), (effects, dominated)):
        page = render_page(replace(facts, effects=each))
        assert escape_markup(expected.sentence) in page
        assert (describe_dominant_column(effects) in page) is (expected is dominated)


@pytest.mark.parametrize("dominates", [True, False])
def test_export_of_report_notes_dominant_column(
    booking_run: tuple[Path, int], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, dominates: bool
) -> None:
    warning = "Is it known?" if dominates else ""
    monkeypatch.setattr(answer, "describe_dominant_column", lambda _: warning)
    with Document.open(booking_run[0], writable=False) as document:
        job = ExportJob(document, booking_run[1], tmp_path / "r.html")
        assert get_format("report").export(job).notes == ((warning,) if dominates else ())
