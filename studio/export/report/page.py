"""The report as one HTML page."""

import time
from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np

from studio.analysis.headline_words import (
    BY_METRIC,
    describe_caveats,
    headline_parts,
    recommendation,
)
from studio.arrays import Flags
from studio.data.findings import remove_followed_advice, with_level
from studio.export.report import charts
from studio.export.report.charts import ENSEMBLE, SINGLE, format_duration, format_loss
from studio.export.report.decided import describe_advice, describe_labels, matrix
from studio.export.report.facts import LossEstimate, ReportFacts
from studio.export.report.sections import (
    MAX_ROWS,
    appendix,
    command,
    decision_body,
    describe_reproduction,
    kinds_of_model,
    members,
)
from studio.figures.intervals import IntervalRow
from studio.language import translate
from studio.measure import append_unit
from studio.numerals import significant
from studio.palette import DARK, DARK_SERIES, LIGHT, LIGHT_SERIES
from studio.printable import markup
from studio.proposers.presets import get_preset
from studio.questions.columns.figure import report_section
from studio.runs.settings import describe_training
from studio.space.library import load, shipped_spaces


def _variables(plain: Mapping[str, str], series: tuple[str, ...]) -> str:
    """Return the colours of a theme: plain ones, and those of the charts' series."""
    used = {f"series-{place}": series[place] for place in (0, 5)}
    return " ".join(f"--{name}: {colour};" for name, colour in {**plain, **used}.items())


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
.verdict { border-left: 4px solid var(--accent); padding: 2px 0 2px 14px; margin: 14px 0 4px; }
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
""".replace("LIGHT_GROUND", _variables(LIGHT, LIGHT_SERIES)).replace(
    "DARK_GROUND", _variables(DARK, DARK_SERIES)
)


POLICY = "default-src 'none'; style-src 'unsafe-inline'"
"""Content security policy of the page: inline style only, no scripts, no requests."""

MAX_CLASSES = 12
"""Maximum number of classes of a legible confusion matrix."""

TASKS = {
    "binary": "one of two classes (binary classification)",
    "multiclass": "one of several classes (multi-class classification)",
    "regression": "a number (regression)",
}


def page(facts: ReportFacts) -> str:
    """Return the page; all texts from data or names are escaped."""
    title = f"{facts.prepared.problem.target_name}: an ensemble for {facts.file}"
    sections = [
        _head(facts),
        _importance_section(facts),
        _advice(facts),
        _decision(facts),
        _figures(facts),
        _errors(facts),
        _data(facts),
        _method(facts),
        '<h2 class="appendix">Appendix: details, and how to repeat the run</h2>',
        _members(facts),
        _search(facts),
        *(_section(title, body, "long") for title, body in appendix(facts) if body),
        _reproduction_section(facts),
    ]
    return (
        '<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{POLICY}">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        '<meta name="referrer" content="no-referrer">\n'
        f"<title>{markup(title)}</title>\n<style>{STYLE}</style>\n</head>\n<body>\n<main>\n"
        + "\n".join(section for section in sections if section)
        + "\n</main>\n</body>\n</html>\n"
    )


def _section(title: str, body: str, kind: str = "") -> str:
    return f'<section class="{kind}"><h2>{markup(title)}</h2>{body}</section>'


def _head(facts: ReportFacts) -> str:
    problem = facts.prepared.problem
    made = time.strftime("%d %B %Y", time.localtime(facts.row.created))
    return (
        '<header><p class="eyebrow">Ensemble Studio · report</p>'
        f"<h1>Predicting “{markup(problem.target_name)}”</h1>"
        f"<p>From {markup(facts.file)}, run “{markup(facts.row.name)}” of {made}. It predicts "
        f"{TASKS[problem.task]}.</p>{_headline(facts)}</header>"
        + "".join(
            f'<p class="warning">{markup(translate(each))}</p>'
            for each in (*facts.prepared.overruled, *facts.damages)
        )
    )


def _headline(facts: ReportFacts) -> str:
    if facts.headline is None:
        return ""
    score, looked_for = facts.headline, facts.row.looked_for
    first, more = headline_parts(score, looked_for)
    ranked = score.get_ranking(looked_for)
    if found := facts.decision_outcome:
        first, more = (
            (first, describe_labels(found, score))
            if ranked
            else (describe_labels(found, score), "")
        )
    html = f'<p class="headline">{markup(first)}</p>'
    if ranked is not None:
        html += charts.draw_ranking(ranked, score.rows)
    html += f"<p>{markup(more)}</p>" if more else ""
    result = facts.row.result
    if result is not None:  # results of older versions do not have these notes
        result = replace(result, test_notes=facts.prepared.test_notes)
    if doubt := describe_caveats(score, looked_for, result, decided=found is not None):
        kind = "" if doubt == BY_METRIC else ' class="warning"'
        html += f"<p{kind}>{markup(doubt)}</p>"
    if facts.row.decision is None:
        return html
    labels = "" if facts.decision_outcome else "That is without the decision of this run. "
    return f"{html}<p>{labels}{markup(facts.row.decision.sentence)}</p>"


def _importance_section(facts: ReportFacts) -> str:
    body = report_section(facts.effects, facts.row.looked_for)
    return _section("What matters most?", body, "long") if body else ""


def _advice(facts: ReportFacts) -> str:
    if facts.headline is None:
        return ""
    target = facts.prepared.problem.target_name
    score, kept, found = facts.headline, facts.row.decision, facts.decision_outcome
    ranked = score.get_ranking(facts.row.looked_for)
    useful = (ranked is not None and ranked.beyond_chance) or (not score.doubtful)
    words = recommendation(score, target, facts.row.looked_for)
    if kept is not None and found is not None and useful:
        words = describe_advice(kept, found)
    return _section("What to do", f"<p>{markup(words)}</p>")


def _figures(facts: ReportFacts) -> str:
    elapsed = float(facts.iterations[-1].details.get("elapsed", 0.0)) if facts.iterations else 0.0
    seconds = max(elapsed, facts.row.result.seconds) if facts.row.result else elapsed
    rows = f"{facts.rows} row" if facts.n_rows == 1 else f"{facts.rows} rows"
    chosen = facts.row.result.members if facts.row.result else ()
    members = len(facts.members.members) or len(chosen)
    ensemble, single = (
        format_loss(each.value, facts.unit, facts.how) for each in (facts.ensemble, facts.single)
    )
    shown = (
        (ensemble, f"{_metric(facts)} of the ensemble on {facts.n_rows:,} {rows}"),
        (single, "of the best single model"),
        (f"{members or '–'}", f"{'model' if members == 1 else 'models'} in the ensemble"),
        (f"{len(facts.trials):,}", f"{'trial' if len(facts.trials) == 1 else 'trials'} in "
         f"{format_duration(seconds)}"),
    )  # fmt: skip
    return (
        '<div class="figures">'
        + "".join(
            f"<div><b>{markup(value)}</b><span>{markup(what)}</span></div>" for value, what in shown
        )
        + "</div>"
    )


def _metric(facts: ReportFacts) -> str:
    return facts.prepared.metric.title


def _errors(facts: ReportFacts) -> str:
    metric = _metric(facts)
    rows = [
        IntervalRow(name, each.value, each.interval, _loss_with_interval(each, facts), colour)
        for name, each, colour in (
            ("Ensemble", facts.ensemble, ENSEMBLE),
            ("Best single model", facts.single, SINGLE),
        )
        if each.value is not None
    ]
    caption = f"{metric} of the ensemble and of the best single model with 95 % intervals"
    body = f"<p>{markup(metric)}: {markup(facts.prepared.metric.summary)} Lower is better.</p>"
    body += charts.draw_intervals(rows, facts.unit, caption) if rows else ""
    if facts.rows == "test":
        body += (
            f'<p class="verdict">{markup(facts.verdict)}</p>'
            f'<p class="muted">Dots are errors on {_rows(facts.n_rows)} that took no part in any '
            "choice; bars are 95 % intervals: were other test rows drawn, the error would mostly "
            "lie within them.</p>"
        )
        guess = facts.members.guess
        if np.isfinite(guess):
            body += (
                "<p>For comparison: the error of always predicting the same value is "
                f"{format_loss(guess, facts.unit, facts.how)}.</p>"
            )
    else:
        body += (
            '<p class="warning">No rows were kept for a test. These are validation errors, by '
            "which the models were chosen, so they are usually optimistic.</p>"
        )
    return _section("How good is it?", body + _describe_rows(facts))


def _loss_with_interval(each: LossEstimate, facts: ReportFacts) -> str:
    shown = format_loss(each.value, facts.unit, facts.how)
    if each.interval is None:
        return shown
    low, high = (format_loss(end, facts.unit, facts.how) for end in each.interval)
    return f"{shown} ({low} to {high})"


def _describe_rows(facts: ReportFacts) -> str:
    if not facts.truth.size:
        return ""
    classes = facts.prepared.problem.classes
    refitted = (
        " (of the members as the search trained them; the final ones were refitted on all rows "
        "except the test rows)"
        if facts.rows == "test" and facts.refitted and not facts.members.refitted
        else ""
    )
    what = f"{facts.rows} rows{refitted}"
    if not classes:
        caption = f"Predicted against true values on the {facts.rows} rows"
        return (
            f"<h3>Predicted against true</h3><p>Each dot is one of the {what}; "
            "on the dashed line the prediction is exact.</p>"
            + charts.draw_scatter(
                np.asarray(facts.truth, dtype=np.float64), facts.predicted, caption
            )
        )
    if len(classes) > MAX_CLASSES:
        return ""
    caption = f"Confusion matrix on the {facts.rows} rows"
    names = [str(label) for label in classes]
    found = facts.decision_outcome
    if found:
        label, chart = (
            "label by the decision",
            charts.draw_confusion_counts(matrix(found), names, caption),
        )
    else:
        truth = np.asarray(facts.truth, dtype=np.int64)
        label = "predicted one"
        chart = charts.draw_confusion(truth, facts.predicted.argmax(axis=1), names, caption)
    weight = "; each row counts by its weight" if found and found.weighted else ""
    return (
        f"<h3>Confusion matrix</h3><p>A row for each true class, a column for each "
        f"{label}; numbers are {what}{weight}. The diagonal is right.</p>{chart}"
    )


def _decision(facts: ReportFacts) -> str:
    kept = facts.row.decision
    if kept is None or facts.decided is None:
        return ""
    return _section("The decision", decision_body(kept, facts.decided, facts.row.decision_note))


def _members(facts: ReportFacts) -> str:
    body = members(facts)
    return _section("What is in the ensemble?", body, "long") if body else ""


def _data(facts: ReportFacts) -> str:
    prepared = facts.prepared
    problem, table, split = prepared.problem, prepared.table, prepared.split
    features = problem.recipe().features
    columns = problem.recipe().own_columns
    dates = len({each.own_name for each in features if each.date is not None})
    texts = len({each.own_name for each in features if each.term is not None})
    categories = int(problem.categorical.sum())
    numbers = len(columns) - categories - dates - texts
    kinds = [f"{numbers:,} of numbers", f"{categories:,} of categories"]
    if dates:
        parts = sum(each.date is not None for each in features)
        kinds.append(f"{dates:,} of dates, which models see in {parts:,} parts")
    if texts:
        words = sum(each.term is not None for each in features)
        kinds.append(f"{texts:,} of text, of which models see {words:,} words and pairs of words")
    own = {each.own_name: place for place, each in enumerate(features)}
    ours = problem.rows >= 0  # rows of a test file are behind the table's
    missing = int(np.isnan(problem.X[ours][:, list(own.values())]).sum())
    rows = [
        ("File", facts.file),
        ("Rows", f"{ours.sum():,} with a known target of {table.n_rows:,}"),
        ("Columns used", f"{len(columns):,}: {', '.join(kinds)}"),
        ("Missing cells", f"{missing:,} of {ours.sum() * len(columns):,}"),
        ("Target", f"{problem.target_name}, {TASKS[problem.task]}"),
        ("Split", _describe_split(facts, int(split.test.size))),
    ]  # fmt: skip
    rows.append(_goal_row(facts, ours))
    if facts.test_file:
        title, goal = _goal_row(facts, ~ours)
        known = f"{_rows((~ours).sum())} with a known target"
        rows.append(("Test file", f"{facts.test_file}, {known}; {title.lower()} {goal}"))
    if said := prepared.constraints:
        rows.append(("Constraints", " ".join(said.values())))
    names = ", ".join(columns[:60])
    more = " …" if len(columns) > 60 else ""
    rows.append(("Columns", names + more))
    # They explain why a column is ignored; those about the test rows are beside the headline.
    notes = [each for each in prepared.notes if each not in prepared.test_notes]
    found = [
        with_level(each)
        for each in remove_followed_advice(table.findings, prepared.metric.key)
        if not any(each.sentence in note for note in notes)
    ]
    if (rest := len(found) - MAX_ROWS) > 0:
        found[MAX_ROWS:] = [f"… and {rest:,} more."]
    return _section(
        "The data",
        _list(rows) + _bullets("Found in the table", found) + _bullets("Worth knowing", notes),
    )


def _goal_row(facts: ReportFacts, rows: Flags) -> tuple[str, str]:
    """Return a title and the classes with their counts, or the range of values, of rows (n,)."""
    prepared, problem = facts.prepared, facts.prepared.problem
    y = problem.y[rows]
    if problem.classes:
        counts = np.bincount(np.asarray(y, dtype=np.int64), minlength=problem.n_classes)
        shown = [f"{name} ({n:,})" for name, n in zip(problem.classes, counts, strict=True)]
        return "Classes", ", ".join(shown[:20]) + (" …" if len(shown) > 20 else "")
    unit = prepared.table.target_unit
    ends = (append_unit(significant(float(end(y)), "g"), unit) for end in (np.min, np.max))
    return "Values", " to ".join(ends)


def _bullets(title: str, sentences: Sequence[str]) -> str:
    points = "".join(f"<li>{markup(translate(each))}</li>" for each in sentences)
    return f"<h3>{title}</h3><ul>{points}</ul>" if points else ""


def _rows(count: int) -> str:
    return "1 row" if count == 1 else f"{count:,} rows"


def _describe_split(facts: ReportFacts, n_test: int) -> str:
    plan, split = facts.prepared.settings.plan, facts.prepared.split
    parts = f"{split.train.size:,} to train on, {split.validation.size:,} to choose by"
    if facts.test_file:
        if plan.folds is not None:
            parts = f"{plan.folds}-fold cross-validation on {_rows(split.validation.size)}"
        return f"{parts}; the {_rows(n_test)} of the test are from {facts.test_file}"
    kept = f"{_rows(n_test)} kept for the test" if n_test else "no rows kept for a test"
    if plan.folds is not None:
        return f"{kept}; {plan.folds}-fold cross-validation on the other {split.validation.size:,}"
    return f"{parts}, {kept}"


def _trials(facts: ReportFacts) -> str:
    """Return the number of trials, and of failed ones: "11, of these 1 failed"."""
    early = "ended early, as {} first folds were too poor"
    counts = (
        (facts.ended_early, early.format("its" if facts.ended_early == 1 else "their")),
        (len(facts.not_finished), "not finished in time"),
        (len(facts.failed), "failed"),
    )
    lost = "; ".join(f"{count:,} {what}" for count, what in counts if count)
    return f"{len(facts.trials):,}, of these {lost}" if lost else f"{len(facts.trials):,}"


def _method(facts: ReportFacts) -> str:
    kinds = kinds_of_model(facts)
    return _section(
        "What was done",
        "<p>Many models with different settings were trained on one part of the rows and judged on "
        "another. The best of them were then combined, because models that make different errors "
        "correct each other. The test rows took no part in any of this.</p>"
        + (f"<p>Kinds of model that were combined: {markup(kinds)}.</p>" if kinds else ""),
    )


def _search(facts: ReportFacts) -> str:
    settings = facts.prepared.settings
    method = get_preset(facts.prepared.method.preset)
    rows = [
        ("Method", f"{settings.method}. {method.summary}"),
        ("Source", method.reference),
        ("Trials", _trials(facts)),
        ("Compared by", f"{_metric(facts)} on the validation rows"),
        ("At the end", f"{describe_training(settings, refitted=facts.refitted)}."),
        ("Seed", str(settings.seed)),
    ]  # fmt: skip
    return _section("Search", _list([(name, value) for name, value in rows if value]))


def _reproduction_section(facts: ReportFacts) -> str:
    key = next(
        (
            each.key
            for each in shipped_spaces()
            if load(each.key).to_json() == facts.prepared.space.to_json()
        ),
        "",
    )
    line = command(facts.prepared.settings, facts.file, key or "space.json")
    hint = (
        ""
        if key
        else "<p>The search space was a custom one; write it to space.json first: "
        "<code>studio export FILE.studio --format space -o space.json</code>.</p>"
    )
    exact = describe_reproduction(facts.prepared.settings, len(facts.not_finished))
    return _section(
        "Reproduce it",
        f"<p>{exact}</p>{hint}<pre>{markup(line)}</pre>" + _list(list(facts.versions)),
    )


def _list(rows: list[tuple[str, str]]) -> str:
    shown = "".join(f"<dt>{markup(name)}</dt><dd>{markup(value)}</dd>" for name, value in rows)
    return f"<dl>{shown}</dl>"
