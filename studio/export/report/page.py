"""The report as one HTML page."""

import time
from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np

from studio.analysis.decision_text import (
    get_confusion_matrix,
    make_decided_parts,
    make_decided_recommendation,
)
from studio.analysis.headline_text import HARMLESS_CAVEATS, describe_caveats, name_metric_baseline
from studio.analysis.loss_difference import SAME_MODEL
from studio.analysis.more_time import advise_more_time
from studio.analysis.text_advice import advise_on_texts
from studio.analysis.verdict import make_verdict
from studio.arrays import Flags
from studio.data.findings import (
    IGNORED_NOTE,
    format_finding,
    format_with_level,
    remove_followed_advice,
)
from studio.export.report import charts
from studio.export.report.charts import ENSEMBLE, SINGLE
from studio.export.report.facts import LossEstimate, ReportFacts
from studio.export.report.sections import (
    MAX_ROWS,
    count_rows,
    describe_reproduction,
    describe_split,
    describe_trials,
    format_command,
    list_model_kinds,
    make_plain_figure,
    render_appendix,
    render_decision,
    render_members,
)
from studio.figures.intervals import IntervalRow
from studio.language import N_, get_language, group_digits, ntr, tr, translate, translate_name
from studio.measure import format_duration, format_loss, format_quantity
from studio.palette import DARK, DARK_SERIES, LIGHT, LIGHT_SERIES
from studio.phrases import phrase
from studio.printable import escape_markup
from studio.proposers.presets import get_preset
from studio.questions.columns.answer import describe_dominant_column, find_dominant_columns
from studio.questions.columns.figure import render_report_section
from studio.space.library import list_shipped_spaces, load


def _format_variables(colours: Mapping[str, str], series: tuple[str, ...]) -> str:
    """Return the colours of a theme: plain ones, and those of the charts' series."""
    series_colours = {f"series-{index}": series[index] for index in (0, 5)}
    return " ".join(
        f"--{name}: {colour};" for name, colour in {**colours, **series_colours}.items()
    )


STYLE = """
:root { color-scheme: light dark; LIGHT_GROUND }
@media (prefers-color-scheme: dark) { :root { DARK_GROUND } }
* { box-sizing: border-box; }
body { margin: 0; background: var(--background); color: var(--text);
  font: 15px/1.55 "Inter", "Segoe UI", "Helvetica Neue", Arial, sans-serif; }
main { max-width: 860px; margin: 0 auto; padding: 40px 24px 64px; }
header { margin-bottom: 28px; }
h1 { font-size: 30px; line-height: 1.2; margin: 4px 0 8px; overflow-wrap: anywhere; }
h2 { font-size: 19px; margin: 0 0 4px; }
.appendix { margin: 34px 0 12px; color: var(--muted); }
h3 { font-size: 15px; margin: 20px 0 4px; }
p { margin: 6px 0 10px; max-width: 68ch; }
.headline { font-size: 21px; line-height: 1.35; font-weight: 600; margin: 14px 0 0; }
.eyebrow { color: var(--accent); font-weight: 600; letter-spacing: .04em; margin: 0; }
.muted, .eyebrow + h1 + p { color: var(--muted); }
section { background: var(--surface); border: 1px solid var(--border); border-radius: 12px;
  padding: 22px 26px; margin: 0 0 18px; overflow-wrap: anywhere; }
.figures { display: grid; grid-template-columns: repeat(auto-fit, minmax(170px, 1fr)); gap: 12px;
  margin: 0 0 18px; }
.figures div { background: var(--surface); border: 1px solid var(--border); border-radius: 12px;
  padding: 14px 18px; }
.figures b { display: block; font-size: 26px; line-height: 1.25; font-weight: 650; }
.figures span { color: var(--muted); font-size: 13px; }
.conclusion { border-left: 4px solid var(--accent); padding: 2px 0 2px 14px; margin: 14px 0 4px; }
.warning { border-left: 4px solid var(--warn); padding: 2px 0 2px 14px; }
svg { display: block; width: 100%; height: auto; margin: 10px 0 2px;
  font: 12.5px "Inter", "Segoe UI", "Helvetica Neue", Arial, sans-serif; }
.legend { list-style: none; display: flex; flex-wrap: wrap; gap: 4px 20px; padding: 0;
  margin: 6px 0 4px; color: var(--muted); font-size: 13px; }
.legend svg { display: inline-block; width: 28px; height: 10px; margin: 0 6px 0 0;
  vertical-align: middle; }
.wide { overflow-x: auto; }
table { border-collapse: collapse; width: 100%; font-size: 14px; }
th { text-align: left; color: var(--muted); font-weight: 600; font-size: 13px; }
th, td { padding: 7px 12px 7px 0; border-bottom: 1px solid var(--border); vertical-align: top; }
tr:last-child td { border-bottom: 0; }
.n { text-align: right; font-variant-numeric: tabular-nums; white-space: nowrap; }
.name { overflow-wrap: normal; min-width: 110px; }
dl { display: grid; grid-template-columns: max-content 1fr; gap: 4px 22px; margin: 8px 0; }
dt { color: var(--muted); } dd { margin: 0; }
pre { background: var(--raised); border-radius: 8px; padding: 12px 14px; overflow-x: auto;
  white-space: pre-wrap; font: 13px/1.5 "Cascadia Code", Menlo, Consolas, monospace; }
footer { color: var(--muted); font-size: 13px; }
@media print { :root { LIGHT_GROUND --background: #fff; --raised: #f2f2f2; --border: #bbb;
    --text: #000; --muted: #444; }
  * { -webkit-print-color-adjust: exact; print-color-adjust: exact; }
  body { font-size: 11pt; } main { padding: 0; max-width: none; }
  section, .figures div { border-radius: 0; border-width: 0 0 1px; padding: 10px 0; }
  section, svg, tr, .figures { break-inside: avoid; } section.long { break-inside: auto; }
  h2, h3 { break-after: avoid; } }
@page { margin: 18mm 16mm; }
""".replace("LIGHT_GROUND", _format_variables(LIGHT, LIGHT_SERIES)).replace(
    "DARK_GROUND", _format_variables(DARK, DARK_SERIES)
)


POLICY = "default-src 'none'; style-src 'unsafe-inline'"
"""Content security policy of the page: inline style only, no scripts, no requests."""

MAX_CLASSES = 12
"""Maximum number of classes of a legible confusion matrix."""

TASKS = {
    "binary": N_("one of two classes (binary classification)"),
    "multiclass": N_("one of several classes (multi-class classification)"),
    "regression": N_("a number (regression)"),
}

_MONTHS = (
    N_("{day} January {year}"), N_("{day} February {year}"), N_("{day} March {year}"),
    N_("{day} April {year}"), N_("{day} May {year}"), N_("{day} June {year}"),
    N_("{day} July {year}"), N_("{day} August {year}"), N_("{day} September {year}"),
    N_("{day} October {year}"), N_("{day} November {year}"), N_("{day} December {year}"),
)  # fmt: skip
"""Date formats by month, as languages differ in more than the names of months."""


def render_page(facts: ReportFacts) -> str:
    """Return the page in the current language; all texts from data or names are escaped."""
    target = facts.prepared_run.problem.target_name
    title = tr("{target}: an ensemble for {file}", target=target, file=facts.file)
    details = tr("Appendix: details, and how to repeat the run")
    sections = [
        _render_head(facts),
        _render_importance(facts),
        _render_advice(facts),
        _render_decision(facts),
        _render_figures(facts),
        _render_errors(facts),
        _render_data(facts),
        _render_method(facts),
        f'<h2 class="appendix">{escape_markup(details)}</h2>',
        _render_members(facts),
        _render_search(facts),
        *(_render_section(title, body, "long") for title, body in render_appendix(facts) if body),
        _render_reproduction(facts),
    ]
    return (
        f'<!DOCTYPE html>\n<html lang="{get_language()}">\n<head>\n<meta charset="utf-8">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{POLICY}">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        '<meta name="referrer" content="no-referrer">\n'
        f"<title>{escape_markup(title)}</title>\n<style>{STYLE}</style>\n</head>\n<body>\n<main>\n"
        + "\n".join(section for section in sections if section)
        + "\n</main>\n</body>\n</html>\n"
    )


def _render_section(title: str, body: str, kind: str = "") -> str:
    return f'<section class="{kind}"><h2>{escape_markup(title)}</h2>{body}</section>'


def _render_paragraph(text: str, kind: str = "") -> str:
    """Return an escaped text in a paragraph with a style sheet class; empty for no text."""
    style = f' class="{kind}"' if kind else ""
    return f"<p{style}>{escape_markup(text)}</p>" if text else ""


def _render_head(facts: ReportFacts) -> str:
    problem = facts.prepared_run.problem
    created = time.localtime(facts.row.created)
    subtitle = tr(
        "From {file}, run “{run}” of {date}. It predicts {task}.",
        file=facts.file,
        run=facts.row.name,
        date=tr(_MONTHS[created.tm_mon - 1], day=created.tm_mday, year=created.tm_year),
        task=tr(TASKS[problem.task]),
    )
    return (
        "<header>"
        + _render_paragraph(tr("Ensemble Studio · report"), "eyebrow")
        + f"<h1>{escape_markup(tr('Predicting “{target}”', target=problem.target_name))}</h1>"
        + f"{_render_paragraph(subtitle)}{_render_headline(facts)}</header>"
        + "".join(
            _render_paragraph(translate(each), "warning")
            for each in (*facts.prepared_run.overruled, *facts.damage_sentences)
        )
    )


def _render_headline(facts: ReportFacts) -> str:
    if facts.headline is None:
        return ""
    score, positive_class = facts.headline, facts.row.positive_class
    outcome = facts.decision_outcome
    ranked = score.get_ranking(positive_class)
    result = facts.row.result
    if result is not None and not result.test_notes:  # as in older versions
        result = replace(result, test_notes=facts.prepared_run.test_notes)
    first, second = make_decided_parts(score, positive_class, outcome)
    dominant_columns = find_dominant_columns(facts.effects)
    verdict = make_verdict(
        score, positive_class, result, dominant_columns, has_decision=outcome is not None
    )
    html = _render_paragraph(translate(verdict.sentence), "headline")
    html += _render_paragraph(translate(first), "conclusion")
    if ranked is not None or outcome is None:  # right rows would not be those of the decision
        html += charts.draw_headline_figure(score, positive_class)
    html += _render_paragraph(translate(second))
    if caveats := describe_caveats(score, positive_class, result, has_decision=outcome is not None):
        kind = "" if caveats in HARMLESS_CAVEATS else "warning"
        html += _render_paragraph(translate(caveats), kind)
    if facts.row.decision is None:
        return html
    labels = "" if facts.decision_outcome else tr("That is without the decision of this run.") + " "
    return html + _render_paragraph(labels + translate(facts.row.decision.sentence))


def _render_importance(facts: ReportFacts) -> str:
    body = render_report_section(facts.effects.with_positive_class(facts.row.positive_class))
    return _render_section(tr("What matters most?"), body, "long") if body else ""


def _render_advice(facts: ReportFacts) -> str:
    if facts.headline is None:
        return ""
    advice = make_decided_recommendation(
        facts.headline,
        facts.prepared_run.problem.target_name,
        facts.row.positive_class,
        facts.row.decision,
        facts.decision_outcome,
    )
    # A warning about a possible leak precedes the advice.
    leak_warning = describe_dominant_column(facts.effects)
    warnings = (leak_warning,) if leak_warning else map(translate, facts.prepared_run.overruled)
    body = "".join(_render_paragraph(each, "warning") for each in warnings)
    prepared_run = facts.prepared_run
    text_advice = advise_on_texts(
        prepared_run.table.findings, prepared_run.settings.source.decided_columns
    )
    more_time = advise_more_time(facts.row.result, facts.trials)
    texts = filter(None, (advice, translate(text_advice), translate(more_time)))
    return _render_section(tr("What to do"), body + "".join(map(_render_paragraph, texts)))


def _render_figures(facts: ReportFacts) -> str:
    elapsed = float(facts.iterations[-1].details.get("elapsed", 0.0)) if facts.iterations else 0.0
    seconds = max(elapsed, facts.row.result.seconds) if facts.row.result else elapsed
    final_members = facts.row.result.members if facts.row.result else ()
    members = len(facts.members.members) or len(final_members)
    ensemble = format_loss(facts.ensemble.value, facts.unit, facts.loss_format)
    description = tr(
        "{metric} of the ensemble on {rows}",
        metric=_describe_metric(facts),
        rows=count_rows(facts.n_rows, facts.rows),
    )
    trials = len(facts.trials)
    figures = (
        *make_plain_figure(facts),
        (ensemble, description),
        (f"{members or '–'}", ntr("model in the ensemble", "models in the ensemble", members)),
        (
            group_digits(trials),
            ntr("trial in {time}", "trials in {time}", trials, time=format_duration(seconds)),
        ),
    )
    return (
        '<div class="figures">'
        + "".join(
            f"<div><b>{escape_markup(value)}</b><span>{escape_markup(label)}</span></div>"
            for value, label in figures
        )
        + "</div>"
    )


def _describe_metric(facts: ReportFacts) -> str:
    return translate(facts.prepared_run.metric.title)


def _render_errors(facts: ReportFacts) -> str:
    metric = _describe_metric(facts)
    estimates = [
        (tr("Ensemble"), facts.ensemble, ENSEMBLE),
        (tr("Best single model"), facts.single, SINGLE),
    ]
    rows = [
        IntervalRow(
            name, each.value, each.interval, _format_loss_with_interval(each, facts), colour
        )
        for name, each, colour in estimates[int(facts.difference_note == SAME_MODEL) :]
        if each.value is not None
    ]
    caption = tr(
        "{metric} of the ensemble and of the best single model with 95 % intervals", metric=metric
    )
    summary = translate(facts.prepared_run.metric.summary)
    body = _render_paragraph(
        tr("{metric}: {summary} Lower is better.", metric=metric, summary=summary)
    )
    body += charts.draw_intervals(rows, facts.unit, caption) if rows else ""
    if facts.rows == "test":
        body += _render_paragraph(
            translate(facts.difference_note), "conclusion"
        ) + _render_paragraph(
            tr(
                "Dots are errors on {rows} not used for any decision; bars are 95 % intervals, "
                "which would contain the errors on most other samples of test rows.",
                rows=count_rows(facts.n_rows),
            ),
            "muted",
        )
        guess = facts.members.constant_loss
        if np.isfinite(guess):
            body += _render_paragraph(
                tr(
                    "For comparison: {baseline} has an error of {error}.",
                    baseline=translate(name_metric_baseline(facts.prepared_run.metric.key)),
                    error=format_loss(guess, facts.unit, facts.loss_format),
                )
            )
    else:
        body += _render_paragraph(
            tr(
                "There are no test rows. These are validation errors, by which the models were "
                "selected, so they are usually optimistic."
            ),
            "warning",
        )
    return _render_section(tr("How good is it?"), body + _describe_rows(facts))


def _format_loss_with_interval(each: LossEstimate, facts: ReportFacts) -> str:
    value = format_loss(each.value, facts.unit, facts.loss_format)
    if each.interval is None:
        return value
    low, high = (format_loss(end, facts.unit, facts.loss_format) for end in each.interval)
    return tr("{value} ({low} to {high})", value=value, low=low, high=high)


def _describe_rows(facts: ReportFacts) -> str:
    if not facts.truth.size:
        return ""
    classes = facts.prepared_run.problem.classes
    is_tested, caption = facts.rows == "test", ""
    rows = tr("test rows") if is_tested else tr("validation rows")
    if is_tested and facts.refitted and not facts.members.is_refitted:
        rows = tr(
            "test rows (of the members before the refit; the final ones were refitted "
            "on all rows except the test rows)"
        )
    if not classes:
        caption = (
            tr("Predicted against true values on the test rows")
            if is_tested
            else tr("Predicted against true values on the validation rows")
        )
        explanation = tr(
            "Each dot is one of the {rows}; on the dashed line the prediction is exact.", rows=rows
        )
        return (
            f"<h3>{escape_markup(tr('Predicted against true'))}</h3>"
            + _render_paragraph(explanation)
            + charts.draw_scatter(
                np.asarray(facts.truth, dtype=np.float64), facts.predictions, caption
            )
        )
    if len(classes) > MAX_CLASSES:
        return ""
    caption = (
        tr("Confusion matrix on the test rows")
        if is_tested
        else tr("Confusion matrix on the validation rows")
    )
    names = [str(label) for label in classes]
    outcome = facts.decision_outcome
    if outcome:
        axes = tr("A row for each true class, a column for each label by the decision.")
        chart = charts.draw_confusion_counts(get_confusion_matrix(outcome), names, caption)
    else:
        truth = np.asarray(facts.truth, dtype=np.int64)
        axes = tr("A row for each true class, a column for each predicted one.")
        chart = charts.draw_confusion(truth, facts.predictions.argmax(axis=1), names, caption)
    description = tr("Numbers are {rows}; correct predictions are on the diagonal.", rows=rows)
    if outcome and outcome.is_weighted:
        description += " " + tr("Each row counts by its weight.")
    paragraph = _render_paragraph(f"{axes} {description}")
    return f"<h3>{escape_markup(tr('Confusion matrix'))}</h3>{paragraph}{chart}"


def _render_decision(facts: ReportFacts) -> str:
    decision = facts.row.decision
    if decision is None or facts.decision_figures is None:
        return ""
    return _render_section(
        tr("The decision"),
        render_decision(
            decision,
            facts.decision_figures,
            facts.row.decision_note,
            is_stated=facts.headline is not None,
        ),
    )


def _render_members(facts: ReportFacts) -> str:
    body = render_members(facts)
    return _render_section(tr("What is in the ensemble?"), body, "long") if body else ""


def _render_data(facts: ReportFacts) -> str:
    prepared_run = facts.prepared_run
    problem, table, split = prepared_run.problem, prepared_run.table, prepared_run.split
    features = problem.make_recipe().features
    columns = problem.make_recipe().table_columns
    dates = len({each.column_name for each in features if each.date is not None})
    text_names = {each.column_name for each in features if each.term is not None}
    texts = len(text_names)
    categories = int(problem.categorical.sum())
    numbers = len(columns) - categories - dates - texts
    kinds = [
        tr("{count} of numbers", count=group_digits(numbers)),
        tr("{count} of categories", count=group_digits(categories)),
    ]
    if dates:
        parts = group_digits(sum(each.date is not None for each in features))
        kinds.append(
            tr("{count} of dates, used as {parts} parts", count=group_digits(dates), parts=parts)
        )
    if texts:
        n_words = group_digits(sum(each.term is not None for each in features))
        kinds.append(
            tr(
                "{count} of text, used as {words} words and pairs of words",
                count=group_digits(texts),
                words=n_words,
            )
        )
    feature_positions = {each.column_name: index for index, each in enumerate(features)}
    other_positions = [
        position for name, position in feature_positions.items() if name not in text_names
    ]
    is_table_row = problem.rows >= 0  # the rows of a test file follow those of the table
    missing = int(np.isnan(problem.X[is_table_row][:, other_positions]).sum())
    # Models use the words of a text, so an empty one does not count as missing.
    cells = group_digits(int(is_table_row.sum()) * len(other_positions))
    missing_text = tr("{missing} of {cells}", missing=group_digits(missing), cells=cells)
    if texts:
        missing_text = tr("{missing}, without texts", missing=missing_text)
    used_columns_text = tr(
        "{count}: {kinds}", count=group_digits(len(columns)), kinds=", ".join(kinds)
    )
    rows = [
        (tr("File"), facts.file),
        (tr("Rows"), tr("{rows} with a known target, of {all}",
                        rows=group_digits(int(is_table_row.sum())),
                        all=group_digits(table.n_rows))),
        (tr("Columns used"), used_columns_text),
        (tr("Missing cells"), missing_text),
        (tr("Target"), f"{problem.target_name}, {tr(TASKS[problem.task])}"),
        (tr("Split"), describe_split(facts, int(split.test.size))),
        _make_target_row(facts, is_table_row),
    ]  # fmt: skip
    if facts.test_file:
        title, target_text = _make_target_row(facts, ~is_table_row)
        rows.append(
            (
                tr("Test file"),
                tr(
                    "{file}, {rows} with a known target; {title}: {values}",
                    file=facts.test_file,
                    rows=count_rows(int((~is_table_row).sum())),
                    title=title,
                    values=target_text,
                ),
            )
        )
    if constraints := prepared_run.constraints:
        rows.append((tr("Constraints"), " ".join(map(translate, constraints.values()))))
    names = ", ".join(map(translate_name, columns[:60]))
    ellipsis = " …" if len(columns) > 60 else ""
    rows.append((tr("Columns"), names + ellipsis))
    # The notes explain ignored columns; notes about the test rows are beside the headline.
    left_out = (*prepared_run.test_notes, IGNORED_NOTE)  # of which the findings say more
    notes = [
        each
        for each in prepared_run.notes
        if each not in left_out and getattr(each, "template", each) not in left_out
    ]
    # A note says how the split treats copies.
    noted_kinds = {"duplicates"} if prepared_run.split.copies.size else set()
    findings = [
        phrase(
            "Left unchanged: {words}",
            words=format_finding(replace(each, sentence=each.fact or each.sentence)),
        )
        if each.level == "decide"
        else format_with_level(each)
        for each in remove_followed_advice(table.findings, prepared_run.metric.key)
        if not (each.kind in noted_kinds or any(each.sentence in note for note in notes))
    ]
    if (n_more := len(findings) - MAX_ROWS) > 0:
        findings[MAX_ROWS:] = [phrase("… and {rest:,} more.", rest=n_more)]
    return _render_section(
        tr("The data"),
        _render_list(rows)
        + _render_bullets(tr("Found in the table"), findings)
        + _render_bullets(tr("Worth knowing"), notes),
    )


def _make_target_row(facts: ReportFacts, rows: Flags) -> tuple[str, str]:
    """Return a title and the classes with their counts, or the range of values, of rows (n,)."""
    prepared_run, problem = facts.prepared_run, facts.prepared_run.problem
    y = problem.y[rows]
    if problem.classes:
        counts = np.bincount(np.asarray(y, dtype=np.int64), minlength=problem.n_classes)
        class_counts = [
            f"{name} ({group_digits(int(n))})"
            for name, n in zip(problem.classes, counts, strict=True)
        ]
        return tr("Classes"), ", ".join(class_counts[:20]) + (
            " …" if len(class_counts) > 20 else ""
        )
    unit = prepared_run.table.target_unit
    low, high = (format_quantity(float(end(y)), unit, 6) for end in (np.min, np.max))
    return tr("Values"), tr("{low} to {high}", low=low, high=high)


def _render_bullets(title: str, sentences: Sequence[str]) -> str:
    points = "".join(f"<li>{escape_markup(translate(each))}</li>" for each in sentences)
    return f"<h3>{escape_markup(title)}</h3><ul>{points}</ul>" if points else ""


def _render_method(facts: ReportFacts) -> str:
    kinds = list_model_kinds(facts)
    summary = tr(
        "Many models with different settings were trained on one part of the rows and evaluated on "
        "another. The best of them were then combined, as models with different errors correct "
        "each other. The test rows were not used for any of this."
    )
    combination_text = tr("Kinds of model combined: {kinds}.", kinds=kinds) if kinds else ""
    body = _render_paragraph(summary) + _render_paragraph(combination_text)
    return _render_section(tr("What was done"), body)


def _render_search(facts: ReportFacts) -> str:
    settings = facts.prepared_run.settings
    method = get_preset(facts.prepared_run.method.preset)
    comparison_text = tr("{metric} on the validation rows", metric=_describe_metric(facts))
    rows = [
        (tr("Method"), f"{settings.method}. {translate(method.summary)}"),
        (tr("Source"), translate(method.reference)),
        (tr("Trials"), describe_trials(facts)),
        (tr("Compared by"), comparison_text),
        (tr("At the end"), f"{translate(facts.training)}."),
        (tr("Seed"), str(settings.seed)),
    ]
    return _render_section(tr("Search"), _render_list([row for row in rows if row[1]]))


def _render_reproduction(facts: ReportFacts) -> str:
    space_json = facts.prepared_run.space.to_json()
    keys = (each.key for each in list_shipped_spaces())
    key = next((each for each in keys if load(each).to_json() == space_json), "")
    line = format_command(facts.prepared_run.settings, facts.file, key or "space.json")
    hint = tr("The search space was custom; export it to space.json first:")
    write = "<pre>studio export FILE.studio --format space -o space.json</pre>"
    exact = describe_reproduction(facts.prepared_run.settings, len(facts.timed_out_trials))
    return _render_section(
        tr("Reproduce it"),
        _render_paragraph(translate(exact))
        + ("" if key else _render_paragraph(hint) + write)
        + f"<pre>{escape_markup(line)}</pre>"
        + _render_list([(translate(name), translate(value)) for name, value in facts.versions]),
    )


def _render_list(rows: list[tuple[str, str]]) -> str:
    items = "".join(
        f"<dt>{escape_markup(name)}</dt><dd>{escape_markup(value)}</dd>" for name, value in rows
    )
    return f"<dl>{items}</dl>"
