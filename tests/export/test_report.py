"""The report: one self-contained page in which no data is interpreted as markup."""

import re
import shutil
from collections.abc import Iterator
from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path
from types import SimpleNamespace
from typing import Any
from xml.etree import ElementTree as ET

import numpy as np
import pytest

from studio import language
from studio.analysis.answers.ensemble import Contributions
from studio.analysis.decision import compute_decision_figures
from studio.analysis.decision_text import WITHOUT_DECISION, get_confusion_matrix
from studio.analysis.loss_difference import MAY_BE_CHANCE, SAME_MODEL
from studio.analysis.summary import summarise_run
from studio.cli.entry import main
from studio.data.metrics.plain_score import PlainScore, RankedHits
from studio.data.splits import SplitPlan
from studio.document.decision import Decision
from studio.document.store import Document
from studio.errors import ExportError
from studio.export.formats.base import ExportJob
from studio.export.formats.registry import get_format
from studio.export.report import charts
from studio.export.report.charts import format_difference
from studio.export.report.facts import ReportFacts, gather_facts
from studio.export.report.page import render_page
from studio.export.report.sections import make_plain_figure
from studio.learners.registry import REGISTRY as LEARNERS
from studio.measure import format_loss
from studio.numerals import NumeralFormat
from studio.phrases import phrase
from studio.questions.columns.answer import REDUNDANCY_NOTE
from studio.runs.settings import RunSettings, TableSource
from tests.export.conftest import execute_run
from tests.facts import contains_facts

pytestmark = pytest.mark.slow


class Reader(HTMLParser):
    """Collects tags and attributes, and rejects unclosed tags."""

    EMPTY = ("meta", "link", "br", "img", "hr", "input")

    def __init__(self) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.attributes: list[tuple[str, str | None]] = []
        self.open: list[str] = []
        self.texts: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.attributes += attrs
        if tag not in self.EMPTY:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.attributes += attrs

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.texts.append(data)


def report(path: Path, run_id: int, folder: Path) -> tuple[str, Reader]:
    with Document.open(path, writable=False) as document:
        get_format("report").export(ExportJob(document, run_id, folder / "r.html"))
    text = (folder / "r.html").read_text(encoding="utf-8")
    reader = Reader()
    reader.feed(text)
    assert reader.open == []
    return text, reader


@pytest.fixture(scope="module")
def hostile(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, int]:
    """Return a run with HTML in every name, and a failed trial."""
    folder = tmp_path_factory.mktemp("hostile")
    table = folder / "<img src=x onerror=alert(1)>.csv"
    rows = [f"{i % 7},{(i * 5) % 11},{('<b>a</b>', '</svg><script>b</script>')[i % 7 > 3]}"
            for i in range(90)]  # fmt: skip
    header = '"</title><script>x</script>","y",\'"target\''
    table.write_text("\n".join([header.replace("'\"target'", "<target>"), *rows]) + "\n")
    settings = RunSettings(
        method="RS-post",
        budget=6,
        source=TableSource(path=str(table), target="<target>", kinds={"y": "number"}),
        trial_seconds=60,
    )
    return execute_run(folder / "h.studio", settings, "<iframe src='//evil'>")


@pytest.fixture(scope="module")
def facts(regression_run: tuple[Path, int, Path]) -> ReportFacts:
    with Document.open(regression_run[0], writable=False) as document:
        return gather_facts(document, regression_run[1])


def test_report_escapes_data(hostile: tuple[Path, int], tmp_path: Path) -> None:
    text, reader = report(*hostile, tmp_path)
    assert not {"script", "img", "iframe", "link", "object"} & set(reader.tags)
    assert "<b>a" not in text
    assert not any(name.startswith("on") for name, _ in reader.attributes)
    assert not {"src", "href", "srcset", "action"} & {name for name, _ in reader.attributes}
    assert "url(" not in text
    assert "@import" not in text
    outside = set(re.findall(r"https?://[^\s\"'<]+", text))
    assert outside == {"http://www.w3.org/2000/svg"}
    assert "default-src 'none'" in text
    visible_text = " ".join(reader.texts)
    for name in ("<img src=x onerror=alert(1)>.csv", "</title><script>x</script>", "<target>",
                 "<iframe src='//evil'>", "</svg><script>b</script>"):  # fmt: skip
        assert name in visible_text, "shown as the text that it is"


def test_report_has_settings_quality_and_command(hostile: tuple[Path, int], tmp_path: Path) -> None:
    text, reader = report(*hostile, tmp_path)
    visible_text = " ".join(reader.texts)
    with Document.open(hostile[0], writable=False) as document:
        result = document.runs.get(hostile[1]).result
    assert result is not None
    assert format_loss(result.test_error_ensemble, "%") in visible_text
    low, high = result.test_interval
    assert f"({format_loss(low, '%')} to {format_loss(high, '%')})" in visible_text
    assert re.search("Right for [0-9]+ of [0-9]+ rows", visible_text)
    n_test = result.test_rows
    assert f"among {n_test} test rows" in visible_text
    titles = ("What matters most?", "What to do", "How good is it?", "The data", "What was done",
              "Appendix", "What is in the ensemble?", "How did the search go?",
              "Reproduce it")  # fmt: skip
    places = [visible_text.index(title) for title in titles]
    assert places == sorted(places), "what people act on is first"
    assert f"highest out of {n_test}, " in visible_text
    assert visible_text.index("Ranked highest:") < visible_text.index("Right for") < places[0]
    assert "For comparison: guessing has" in visible_text
    # As in the window: the ensemble orange, test errors dashed.
    for name, look in (
        ("ensemble, test", "5\\); stroke-dasharray: 6 4"),
        ("best single, validation", "0\\)"),
    ):
        legend_pattern = rf'style="stroke: var\(--series-{look}"/></svg>{name}'
        assert re.search(legend_pattern, text)
    assert "studio run " in visible_text
    assert "scikit-learn" in visible_text
    assert "color-scheme: dark" in text
    assert "@media print" in text
    for picture in re.findall(r"<svg.*?</svg>", text, flags=re.DOTALL):
        ET.fromstring(picture)


@pytest.mark.parametrize("capacity", [0.3, None])
def test_report_counts_labels_of_decision(
    classification_run: tuple[Path, int], tmp_path: Path, capacity: float | None
) -> None:
    path, run_id = (
        Path(shutil.copy(classification_run[0], tmp_path / "c.studio")),
        classification_run[1],
    )
    with Document.open(path) as document:
        document.runs.decide(run_id, Decision("good", 0.31, capacity=capacity))
    figures = compute_decision_figures(path, run_id, threshold=0.31)
    cells = figures.threshold_confusion
    right = cells.true_positives + cells.true_negatives
    assert (
        right != figures.method_confusion.true_positives + figures.method_confusion.true_negatives
    ), "otherwise this tests nothing"
    text, reader = report(path, run_id, tmp_path)
    visible_text = " ".join(" ".join(reader.texts).split())
    headline = visible_text[: visible_text.index("What to do")]
    assert f"{right:.0f} of {figures.count} rows" in headline
    assert "Right for" not in headline
    assert visible_text.count("Labels follow") == 1, "shown once, beside the answer"
    with Document.open(path, writable=False) as document:
        assert f"{right:.0f} of {figures.count} rows" in summarise_run(document, run_id).headline
    chart = text[text.index("Confusion matrix</h3>") :].partition("</svg>")[0]
    (counts,) = [re.findall(r">([0-9]+)</text>", chart)]
    assert list(map(float, counts)) == get_confusion_matrix(figures).ravel().tolist()
    advice = visible_text[visible_text.index("What to do") : visible_text.index("The decision")]
    if capacity is None:
        share = cells.true_positives / (cells.true_positives + cells.false_negatives)
        assert contains_facts(
            advice, f"{100 * cells.positive_rate:.0f}", f"{100 * share:.0f}", "good"
        )
    else:
        gain = np.interp(capacity, figures.gains.x, figures.gains.y)
        assert advice.count("30 %") == 2, "the capacity, not the share that some rank ends at"
        assert f"{100 * gain:.0f} % of all" in advice


def test_report_without_decision_uses_ensemble_labels(
    classification_run: tuple[Path, int], tmp_path: Path
) -> None:
    visible_text = " ".join(report(*classification_run, tmp_path)[1].texts)
    assert "Right for" in visible_text
    assert WITHOUT_DECISION not in visible_text


@pytest.mark.parametrize("run", ["hostile", "regression_run"])
def test_report_lists_models_by_title(
    run: str, request: pytest.FixtureRequest, tmp_path: Path
) -> None:
    path, run_id, *_ = request.getfixturevalue(run)
    _, reader = report(path, run_id, tmp_path)
    _, _, inside = " ".join(reader.texts).partition("What is in the ensemble?")
    members, _, _ = inside.partition("The data")
    assert any(each.title.removesuffix(" (regression)") in members for each in LEARNERS)
    assert "(regression)" not in members
    assert not [each.key for each in LEARNERS if f"({each.key})" in members]


def test_report_counts_timed_out_trials_separately(facts: ReportFacts) -> None:
    failed_trials = [replace(each, loss=None, cause="why") for each in facts.trials[:2]]
    trials = (
        replace(failed_trials[0], failure="time"),
        replace(failed_trials[1], failure="memory"),
    )
    text = render_page(replace(facts, trials=(*trials, *facts.trials[2:])))
    visible_text = " ".join(re.sub("<[^>]*>", " ", text).split())
    assert contains_facts(visible_text, "1 not finished", "; 1 failed"), (
        "nothing of none ended early"
    )
    several = f"1 of {len(facts.trials)} trials"
    assert f"Failed models {several} could not" in visible_text
    assert f"Unfinished models {several} " in visible_text
    assert visible_text.index("Appendix") < visible_text.index("Failed models")


def test_report_groups_thousands(facts: ReportFacts) -> None:
    prices = replace(facts.prepared_run.problem, y=np.linspace(62_756.0, 1_234_567.0, 150))
    prepared = replace(facts.prepared_run, problem=prices)
    assert "62,756 to 1,234,567" in render_page(replace(facts, prepared_run=prepared))


def test_notes_beside_test_result_are_in_headline(facts: ReportFacts) -> None:
    assert facts.row.result is not None
    result = replace(facts.row.result, test_notes=("Trained on few rows.",))
    header, _, _ = render_page(replace(facts, row=replace(facts.row, result=result))).partition(
        "</header>"
    )
    assert "Trained on few rows." in header


def test_ensemble_equal_to_best_single_model_has_one_bar(facts: ReportFacts) -> None:
    names = [">Ensemble<", ">Best single model<"]
    for difference_note, expected in ((SAME_MODEL, [0, 1]), (MAY_BE_CHANCE, [1, 1])):
        page = render_page(replace(facts, difference_note=difference_note))
        assert [page.count(each) for each in names] == expected


def test_insignificant_columns_are_in_appendix(facts: ReportFacts) -> None:
    effects = facts.effects
    for flags in (
        np.full_like(effects.is_significant, True),
        np.full_like(effects.is_significant, False),
    ):
        text = render_page(replace(facts, effects=replace(effects, is_significant=flags)))
        before, _, after = text.partition("Appendix")
        assert ("may not matter" in after) is not flags.any()
        assert ("no column is" in before) is not flags.any()


def test_report_uses_singular_for_one(facts: ReportFacts) -> None:
    text = render_page(replace(facts, trials=facts.trials[:1], n_rows=1, members=Contributions()))
    visible_text = " ".join(re.sub("<[^>]*>", " ", text).split())
    for expected in ("on 1 test row ", " 1 trial in ", "errors on 1 row not"):
        assert expected in visible_text
    assert not re.search(r"\b1 (rows|trials|models|columns)\b", visible_text)
    for count, its, other in ((1, "its first", "their first"), (2, "their first", "its first")):
        early = [
            replace(each, loss=None, cause="why", failure="early") for each in facts.trials[:count]
        ]
        text = render_page(replace(facts, trials=(*early, *facts.trials[count:])))
        assert its in text
        assert other not in text


def test_report_plots_values_against_truth(
    regression_run: tuple[Path, int, Path], tmp_path: Path
) -> None:
    _, reader = report(regression_run[0], regression_run[1], tmp_path)
    visible_text = " ".join(reader.texts)
    assert "Predicted against true" in visible_text
    assert "Which classes" not in visible_text


def test_report_without_test_rows_warns_of_optimism(
    regression_run: tuple[Path, int, Path], tmp_path: Path
) -> None:
    settings = RunSettings(
        method="RS-post",
        budget=4,
        source=TableSource(path=str(regression_run[2])),
        plan=SplitPlan(0.7, 0.3, 0.0),
    )
    _, run_id = execute_run(tmp_path / "n.studio", settings)
    _, reader = report(tmp_path / "n.studio", run_id, tmp_path)
    visible_text = " ".join(reader.texts)
    assert "are usually optimistic" in visible_text
    assert "Own validation error" in visible_text


def test_run_without_model_has_no_report(mixed_type_table: Path, tmp_path: Path) -> None:
    with Document.create(tmp_path / "w.studio") as document:
        run_id = document.runs.add(
            "w", RunSettings(source=TableSource(path=str(mixed_type_table))).to_json()
        )
        with pytest.raises(ExportError, match="no successful trial"):
            get_format("report").export(ExportJob(document, run_id, tmp_path / "r.html"))


def test_report_confusion_matrix_counts_rows() -> None:
    picture = charts.draw_confusion(
        np.array([0, 0, 1, 1, 1]), np.array([0, 1, 1, 1, 0]), ["<a>", "b"], "caption"
    )
    root = ET.fromstring(picture)
    numbers = [each.text for each in root.iter() if each.get("font-weight") == "600"]
    assert numbers == ["1", "1", "1", "2"]


def test_report_formats_numbers() -> None:
    assert [format_loss(value, "%") for value in (0.1234, None, float("nan"))] == [
        "12.3 %",
        "–",
        "–",
    ]
    assert format_loss(1234.567, "") == "1,235"
    together = NumeralFormat.for_values([0.218, 0.1563])
    assert [format_loss(value, "", together) for value in (0.218, 0.1563)] == ["0.2180", "0.1563"]
    assert [format_difference(value, "%", together) for value in (0.0065, -0.01, 0.0)] == [
        "+0.65 points",
        "−1.00 points",
        "0",
    ]
    assert format_difference(-0.0007, "", together) == "−0.0007"


@pytest.mark.parametrize(("top", "rows"), [(60, "1 row)"), (100, "2 rows)")])
def test_ranking_dot_may_represent_one_row(top: int, rows: str) -> None:
    ranked = RankedHits("yes", top, 30, 40, True, ((0.0, 0.0), (1.0, 1.0)))
    score = PlainScore(200, True, 0.9, None, 0.8, False, ranked=ranked)
    assert f"each dot: {rows}" in charts.draw_headline_figure(score, None)


def test_headline_figure_shows_right_rows_or_half_of_rows() -> None:
    classes = PlainScore(300, True, 0.72, None, 0.31, False, True)
    assert contains_facts(charts.draw_headline_figure(classes, None), "216 of 300", "93 of 300")
    weighted = replace(classes, weighted=True)
    assert contains_facts(charts.draw_headline_figure(weighted, None), "72.0 %", "31.0 %")
    values = PlainScore(300, False, 76.6, 60.5, 261.0, False, True, guess_middle=224.0)
    text = charts.draw_headline_figure(replace(values, target_unit="kg"), None)
    assert contains_facts(text, "60.5", "kg", "224", "kg")
    for unknown in (replace(values, guess_middle=None), replace(values, metric="MAPE")):
        assert not charts.draw_headline_figure(unknown, None)


def test_report_counts_table_columns(tmp_path: Path) -> None:
    table = tmp_path / "dates.csv"
    lines = [
        f"{row % 7},{1 + row % 28:02}.03.2024,{'xy'[row % 3 == 0]},{row % 2}" for row in range(90)
    ]
    table.write_text("a,when,b,y\n" + "\n".join(lines).replace("05.03.2024", "") + "\n")
    document_path = tmp_path / "dates.studio"
    settings = RunSettings(method="RS-ES", budget=3, workers=1, source=TableSource(path=str(table)))
    _, run_id = execute_run(document_path, settings)
    visible_text = " ".join(report(document_path, run_id, tmp_path)[1].texts)
    assert contains_facts(visible_text, "3: 1 of numbers", "1 of categories", "1 of dates")
    assert "4 of 270" in visible_text, "missing cells"
    assert "a, when, b" in visible_text
    assert REDUNDANCY_NOTE in visible_text


@pytest.mark.parametrize("folds", [None, 3])
def test_report_of_test_file_counts_rows_of_each_file(tmp_path: Path, folds: int | None) -> None:
    tables = {"mine.csv": 100, "later.csv": 40}
    for name, rows in tables.items():
        lines = [f"{row % 7},{'' if row % 10 == 0 else row},{'xy'[row % 3 == 0]}"
                 for row in range(rows)]  # fmt: skip
        (tmp_path / name).write_text("a,b,y\n" + "\n".join(lines) + "\n")
    source = TableSource(path=str(tmp_path / "mine.csv"), test_path=str(tmp_path / "later.csv"))
    settings = RunSettings(
        method="RS-ES", budget=3, workers=1, source=source, plan=SplitPlan(folds=folds)
    )
    path = tmp_path / "second.studio"
    _, run_id = execute_run(path, settings)
    _, reader = report(path, run_id, tmp_path)
    visible_text = " ".join(" ".join(reader.texts).split())
    parts = "3-fold .* on 100 rows" if folds else "75 .*, 25 .*"
    assert re.search(rf"Split {parts}; .*\b40 rows .*\blater.csv", visible_text)
    assert "Missing cells 10 of 200" in visible_text
    assert "Classes x (66), y (34)" in visible_text
    assert re.search(r"Test file later.csv, 40 rows .*; Classes: x \(26\), y \(14\)", visible_text)


def test_report_figures_are_of_final_models(tmp_path: Path, mixed_type_table: Path) -> None:
    settings = RunSettings(
        method="RS-post",
        budget=4,
        workers=1,
        source=TableSource(path=str(mixed_type_table)),
        metric="log-loss",
    )
    path = tmp_path / "refitted.studio"
    _, run_id = execute_run(path, settings)
    with Document.open(path) as document:
        facts = gather_facts(document, run_id)
        result = document.runs.get(run_id).result
    assert result is not None
    assert result.refitted
    prepared_run, test = facts.prepared_run, facts.prepared_run.split.test
    assert prepared_run.compute_loss(test, facts.predictions) == result.test_error_ensemble
    assert facts.iterations[-1].ensemble_test != result.test_error_ensemble
    assert facts.members.is_refitted


SETTING = r"\w+ (-?[\d.e+-]+|[a-z_]+)"
NOT_WORDS = re.compile(rf"[^A-Za-z]*|studio .*|[^·]*…|{SETTING}(, {SETTING})*", re.DOTALL)
"""Texts that are the same in all languages: numbers, commands, shortened names, settings."""


@pytest.fixture
def in_pseudo_language() -> Iterator[None]:
    """Set the pseudo language, with texts ending in dots, unlike English ones."""
    language.set_process_language(language.PSEUDO)
    yield
    language.set_process_language(language.ENGLISH)


@pytest.mark.parametrize("decided", [False, True])
@pytest.mark.usefixtures("in_pseudo_language")
def test_every_text_of_report_is_translated(
    hostile: tuple[Path, int], regression_run: tuple[Path, int, Path], decided: bool
) -> None:
    path, run_id = hostile if decided else regression_run[:2]
    with Document.open(path, writable=False) as document:
        facts = gather_facts(document, run_id)
        if decided:
            name = str(facts.prepared_run.problem.classes[1])
            decision = Decision(name, 0.4, miss_cost=5.0, alarm_cost=1.0)
            figures = compute_decision_figures(
                path, run_id, threshold=0.4, miss_cost=5.0, alarm_cost=1.0
            )
            row = replace(facts.row, decision=decision)
            facts = replace(facts, row=row, decision_figures=replace(figures, positive_class=name))
    failed_trials = [replace(each, loss=None, cause=phrase("Why.")) for each in facts.trials[:2]]
    trials = (
        replace(failed_trials[0], failure="time"),
        replace(failed_trials[1], failure="memory"),
    )
    facts = replace(facts, trials=(*trials, *facts.trials[2:]))
    names = {*facts.prepared_run.problem.make_recipe().table_columns, facts.row.name, facts.file}
    names |= {str(each) for each in facts.prepared_run.problem.classes or ()}
    names |= {name for name, _ in facts.versions} | {text for _, text in facts.versions}
    reader = Reader()
    reader.feed(render_page(facts).partition("<body>")[2].partition("</body>")[0])
    name_pattern = re.compile(
        "|".join(re.escape(each) for each in sorted(names, key=len, reverse=True))
    )
    plain = [
        text
        for text in map(str.strip, reader.texts)
        if "·" not in text and not NOT_WORDS.fullmatch(name_pattern.sub("", text))
    ]
    assert "\n".join(plain) == ""


def test_report_of_french_window_is_french(
    regression_run: tuple[Path, int, Path], tmp_path: Path
) -> None:
    output_path = tmp_path / "r.html"
    argv = ["export", str(regression_run[0]), "--format", "report", "-o", str(output_path)]
    try:
        assert main([*argv, "--language", "fr"]) == 0
    finally:
        language.set_process_language(language.ENGLISH)
    text = output_path.read_text("utf-8")
    assert '<html lang="fr">' in text
    visible_text = re.sub(r"<style.*?</style>|<[^>]+>", "", text, flags=re.DOTALL)
    assert not re.search(r"\w[;:!?] ", visible_text), "non-breaking spaces precede these signs"
    assert re.search(r"\d,\d", text), "decimal commas"
    assert not re.search(r">[^<]*\d\.\d+ ?%", text)
    assert main([*argv, "--replace"]) == 0
    assert '<html lang="en">' in output_path.read_text("utf-8")


def test_report_excludes_text_columns_from_missing_cells(tmp_path: Path) -> None:
    lines = [f"{'' if row % 10 == 0 else row},{'' if row % 4 else 'late and broken box'} {row},"
             f"{'xy'[row % 3 == 0]}" for row in range(60)]  # fmt: skip
    (tmp_path / "notes.csv").write_text("a,note,y\n" + "\n".join(lines) + "\n")
    source = TableSource(path=str(tmp_path / "notes.csv"), kinds={"note": "text"})
    settings = RunSettings(method="RS-ES", budget=2, workers=1, source=source, plan=SplitPlan())
    path = tmp_path / "notes.studio"
    _, run_id = execute_run(path, settings)
    _, reader = report(path, run_id, tmp_path)
    assert "Missing cells 6 of 60, without texts" in " ".join(" ".join(reader.texts).split())


def test_report_starts_with_plain_language_figure() -> None:
    facts: Any = SimpleNamespace(
        headline=PlainScore(600, True, 0.9, None, 0.8, False, True),
        row=SimpleNamespace(positive_class=None),
    )
    ((value, text),) = make_plain_figure(facts)
    assert value == "90.0 %" and "80.0 %" in text
    facts.headline = replace(facts.headline, ranked=RankedHits("yes", 50, 31, 120, True))
    ((value, text),) = make_plain_figure(facts)
    assert value == "31" and "50 rows" in text and "yes" in text
