"""Sections of a report: members, decision, the command to repeat the run, appendix."""

import shlex
from collections.abc import Mapping, Sequence
from pathlib import PurePath
from typing import Any

import numpy as np

from studio.analysis.answers.predictions import Confusion, DecisionFigures
from studio.analysis.decided_words import WITHOUT_DECISION, make_cost_format
from studio.data.splits import SplitPlan, find_protocol
from studio.document.decision import Decision
from studio.document.trials import GAP
from studio.ensembles.calibration import describe_temperature
from studio.export.report import charts
from studio.export.report.charts import ENSEMBLE, SINGLE, format_difference
from studio.export.report.facts import ReportFacts
from studio.language import N_, group_digits, ntr, number, percent, setting, tr, translate
from studio.learners.names import get_learner, get_short_title
from studio.learners.operators.base import EMPTY
from studio.measure import format_loss, format_threshold, write_amount
from studio.numerals import NumeralFormat
from studio.phrases import joined, phrase
from studio.printable import markup
from studio.questions.columns.figure import render_report_appendix
from studio.runs.settings import RunSettings
from studio.setting import iter_settings
from studio.trial import Trial

MAX_ROWS = 40
"""Maximum number of listed members or failed trials; the CSV has all."""

_COMBINATIONS = {
    "vote": N_(
        "Each member votes for a class with its weight; the class with the most votes wins. "
        "Probabilities are the weighted mean of the members'."
    ),
    "mean": N_("The members' predictions are averaged with their weights."),
    "stack": N_("A second, linear model combines the members' predictions."),
}


def members(facts: ReportFacts) -> str:
    """Return the section's HTML; empty if a member's trial is lost."""
    contributions, unit = facts.members, facts.unit
    if not contributions.members.size:
        return ""
    by_number = {trial.number: trial for trial in facts.trials}
    tested = facts.rows == "test" and not np.isnan(contributions.own_test).any()
    own_losses = contributions.own_test if tested else contributions.own_validation
    increases = {"validation": contributions.adds_validation} | (
        {"test": contributions.adds_test} if tested else {}
    )
    own_format = NumeralFormat.together(own_losses)
    increase_format = NumeralFormat.together(np.concatenate([*increases.values()]).tolist(), 3)
    lines, names, texts = [], [], []
    for place, trial_number in enumerate(contributions.members.tolist()[:MAX_ROWS]):
        trial = by_number[trial_number]
        name = _get_model_title(trial)
        weight = float(contributions.weights[place])
        names.append((tr("{model} (trial {number})", model=name, number=trial_number), weight))
        texts.append(percent(weight, 0))
        values = ", ".join(
            f"{key.rpartition('.')[2]} {_shorten(value)}"
            for key, value in trial.configuration.items()
            if key != "algorithm"
        )
        lines.append(
            f'<tr><td class="n">{trial_number}</td><td class="name">{markup(name)}</td>'
            f'<td class="n">{texts[-1]}</td>'
            f'<td class="n">{format_loss(float(own_losses[place]), unit, own_format)}</td>'
            + "".join(
                f'<td class="n">{format_difference(float(each[place]), unit, increase_format)}</td>'
                for each in increases.values()
            )
            + f'<td class="muted">{markup(values or tr("defaults"))}</td></tr>'
        )
    paragraphs = [
        tr(_COMBINATIONS[_get_combination(facts)]),
        translate(describe_temperature(facts.row.result.temperature if facts.row.result else 1.0)),
        tr(
            "“Adds” is by how much the validation or test error would grow if the member were left "
            "out and the others kept their proportions; a member may cost something on these rows "
            "and still help on others."
        ),
        _describe_tested_models(facts) if tested else "",
    ]
    headers = [tr("Weight"), tr("Own test error") if tested else tr("Own validation error")]
    headers += [
        tr("Adds, test") if rows == "test" else tr("Adds, validation") for rows in increases
    ]
    return (
        f"<p>{markup(' '.join(filter(None, paragraphs)))}</p>"
        + charts.draw_bars(names, tr("Weights of the members"), texts)
        + '<div class="wide"><table><thead><tr>'
        + f'<th class="n">{markup(tr("Trial"))}</th><th>{markup(tr("Model"))}</th>'
        + "".join(f'<th class="n">{markup(each)}</th>' for each in headers)
        + f"<th>{markup(tr('Settings'))}</th></tr></thead>"
        + f"<tbody>{''.join(lines)}</tbody></table></div>{_render_more(len(contributions.members))}"
    )


def _render_more(count: int) -> str:
    """Return how many of some rows are not listed, as HTML; empty for none."""
    if (n_more := count - MAX_ROWS) <= 0:
        return ""
    return f'<p class="muted">{markup(ntr("And {count} more.", "And {count} more.", n_more))}</p>'


def count_rows(count: int, kind: str = "") -> str:
    """Return a number of rows in words; ``kind`` is "test" or "validation" if they are such."""
    if not kind:
        return ntr("{count} row", "{count} rows", count)
    if kind == "test":
        return ntr("{count} test row", "{count} test rows", count)
    return ntr("{count} validation row", "{count} validation rows", count)


def describe_split(facts: ReportFacts, n_test: int) -> str:
    """Return the split in words, with ``n_test`` test rows."""
    plan, split = facts.prepared.settings.plan, facts.prepared.split
    chosen_by = group_digits(split.validation.size)
    parts = tr(
        "{train} to train on, {validation} to choose by",
        train=group_digits(split.train.size),
        validation=chosen_by,
    )
    if facts.test_file:
        if plan.folds is not None:
            rows = count_rows(split.validation.size)
            parts = tr("{folds}-fold cross-validation on {rows}", folds=plan.folds, rows=rows)
        return ntr(
            "{parts}; the {count} row of the test is from {file}",
            "{parts}; the {count} rows of the test are from {file}",
            n_test,
            parts=parts,
            file=facts.test_file,
        )
    test_text = (
        ntr("{count} row kept for the test", "{count} rows kept for the test", n_test)
        if n_test
        else tr("no rows kept for a test")
    )
    if plan.folds is not None:
        folds = tr(
            "{folds}-fold cross-validation on the other {rows}", folds=plan.folds, rows=chosen_by
        )
        return tr("; ").join((test_text, folds))
    return f"{parts}, {test_text}"


def describe_trials(facts: ReportFacts) -> str:
    """Return the number of trials, and of failed ones: "11, of these 1 failed"."""
    early, late, failed = facts.ended_early, len(facts.not_finished), len(facts.failed)
    problems = [
        early
        and ntr(
            "{count} ended early, as its first folds were too poor",
            "{count} ended early, as their first folds were too poor",
            early,
        ),
        late and ntr("{count} not finished in time", "{count} not finished in time", late),
        failed and ntr("{count} failed", "{count} failed", failed),
    ]
    listing, trials = (
        tr("; ").join(each for each in problems if each),
        group_digits(len(facts.trials)),
    )
    return tr("{trials}, of these {lost}", trials=trials, lost=listing) if listing else trials


def _describe_tested_models(facts: ReportFacts) -> str:
    """Describe which models the members' test errors belong to; empty without a refit."""
    if not facts.refitted:
        return ""
    if facts.members.refitted:
        return tr(
            "Test errors are those of the final models, refitted on all rows but the test rows."
        )
    return tr("Test errors of members are those of the models that the search trained.")


def list_model_kinds(facts: ReportFacts) -> str:
    """Return the ensemble's kinds of models, without duplicates; empty if lost."""
    by_number = {trial.number: trial for trial in facts.trials}
    members = facts.members.members.tolist()
    return ", ".join(dict.fromkeys(_get_model_title(by_number[number]) for number in members))


def _get_model_title(trial: Trial) -> str:
    """Return the kind of a trial's model, for display."""
    return translate(get_short_title(get_learner(trial.configuration) or "model"))


def _get_combination(facts: ReportFacts) -> str:
    if facts.row.result:
        return facts.row.result.combination
    return "mean" if not facts.prepared.problem.classes else "vote"


def _shorten(value: object) -> str:
    if value == EMPTY:
        return tr("none")
    return setting(value)


def render_appendix(facts: ReportFacts) -> Sequence[tuple[str, str]]:
    """Return titles and bodies of the sections; empty bodies are skipped."""
    return (
        (tr("Columns that may not matter over all rows"), render_report_appendix(facts.effects)),
        (tr("How did the search go?"), _render_loss_curve(facts)),
        (tr("Models that failed"), _render_failed_trials(facts)),
        (tr("Models that were not finished"), _render_late_trials(facts)),
    )


def _render_loss_curve(facts: ReportFacts) -> str:
    """Return the course of the search as HTML; empty with too few trials."""
    iterations = [each for each in facts.iterations if each.best is not None]
    if len(iterations) < 2:
        return ""
    step = max(1, len(iterations) // 800)
    thinned = iterations[::step]
    lines: list[charts.Line] = [
        (
            tr("ensemble, validation"),
            [each.ensemble_validation for each in thinned],
            ENSEMBLE,
            False,
        ),
        (
            tr("best single, validation"),
            [each.single_validation for each in thinned],
            SINGLE,
            False,
        ),
    ]
    if iterations[-1].ensemble_test is not None:
        lines += [
            (tr("ensemble, test"), [each.ensemble_test for each in thinned], ENSEMBLE, True),
            (tr("best single, test"), [each.single_test for each in thinned], SINGLE, True),
        ]
    dots = [(trial.number, trial.loss) for trial in facts.trials if trial.loss is not None]
    explanation = tr(
        "Errors over the trials. Grey dots are the single models on the validation rows. Where a "
        "dashed line (test) lies above the solid one of its colour (validation), the validation "
        "error was optimistic: it was used to choose, or it was chance."
    )
    texts = filter(None, (explanation, _describe_gap(facts), _describe_refit(facts)))
    return f"<p>{markup(' '.join(texts))}</p>" + charts.draw_loss_curve(
        [each.number for each in thinned],
        lines,
        dots[:: max(1, len(dots) // 1500)],
        facts.unit,
        tr("{metric} by number of trials", metric=translate(facts.prepared.metric.title)),
    )


def _describe_refit(facts: ReportFacts) -> str:
    if not facts.refitted or facts.iterations[-1].ensemble_test is None:
        return ""
    return tr(
        "All of them are errors of the models that the search trained; the final models were "
        "refitted, so their test errors are other ones."
    )


def _describe_gap(facts: ReportFacts) -> str:
    gap = facts.iterations[-1].details.get(GAP)
    if gap is None:
        return ""
    if gap[0] <= 0 <= gap[1]:
        return tr("In the end, the difference between the two may be chance.")
    low, high = (
        format_difference(each, facts.unit, NumeralFormat.together(gap, 3)) for each in gap
    )
    return tr(
        "In the end the test error differs from it by {low} to {high} (95 % interval).",
        low=low,
        high=high,
    )


def _render_failed_trials(facts: ReportFacts) -> str:
    explanation = ntr(
        "{count} of {all} trials could not be trained; the search continued without it.",
        "{count} of {all} trials could not be trained; the search continued without them.",
        len(facts.failed),
        all=group_digits(len(facts.trials)),
    )
    return _render_trials(facts.failed, explanation)


def _render_late_trials(facts: ReportFacts) -> str:
    explanation = ntr(
        "{count} of {all} trials ran out of time; the search continued without it.",
        "{count} of {all} trials ran out of time; the search continued without them.",
        len(facts.not_finished),
        all=group_digits(len(facts.trials)),
    )
    return _render_trials(facts.not_finished, explanation)


def _render_trials(trials: Sequence[Trial], explanation: str) -> str:
    if not trials:
        return ""
    lines = "".join(
        f'<tr><td class="n">{trial.number}</td>'
        f'<td class="name">{markup(_get_model_title(trial))}</td>'
        f"<td>{markup(translate(trial.cause))}</td><td>{markup(translate(trial.remedy))}</td></tr>"
        for trial in trials[:MAX_ROWS]
    )
    headers = "".join(
        f"<th>{markup(each)}</th>" for each in (tr("Model"), tr("What happened"), tr("What to do"))
    )
    return (
        f'<p>{markup(explanation)}</p><div class="wide"><table><thead><tr>'
        f'<th class="n">{markup(tr("Trial"))}</th>{headers}</tr></thead>'
        f"<tbody>{lines}</tbody></table></div>{_render_more(len(trials))}"
    )


def render_decision(
    decision: Decision, figures: DecisionFigures, note: str, *, stated: bool = False
) -> str:
    """Return the section's HTML, with a note on an outdated decision; all texts are escaped.

    ``stated``: whether the report has said above what the decision is.
    """
    html = "" if stated else f'<p class="verdict">{markup(translate(decision.sentence))}</p>'
    if figures.reason:
        return html + f"<p>{markup(translate(figures.reason))}</p>"
    name = decision.looked_for
    other_class = next(each for each in figures.classes if each != name)
    columns = [(tr("this decision"), figures.decided), (tr(WITHOUT_DECISION), figures.usual)]
    explanation = ""
    if decision.miss_cost is not None and decision.alarm_cost is not None:
        columns += [
            (tr("always “{label}”", label=name), figures.decided.all_positive),
            (tr("always “{label}”", label=other_class), figures.decided.all_negative),
        ]
        explanation = tr(
            "The threshold is the cheapest one on the validation rows where a miss costs {miss} "
            "and a false alarm {alarm}.",
            miss=write_amount(decision.miss_cost, figures.currency, 6),
            alarm=write_amount(decision.alarm_cost, figures.currency, 6),
        )
    if decision.capacity is not None:
        explanation = tr(
            "The threshold is the lowest one that at most {share} of the validation rows reach.",
            share=format_threshold(decision.capacity),
        )
    html += f"<p>{markup(explanation)}</p>" if explanation else ""
    if note:
        html += f'<p class="warning">{markup(translate(note))}</p>'
    rows = (
        ntr(
            "On {count} test row, not used to choose it:",
            "On {count} test rows, not used to choose it:",
            figures.count,
        )
        if figures.judged == "test"
        else ntr(
            "On {count} validation row, on which the models were chosen too: the figures are "
            "optimistic:",
            "On {count} validation rows, on which the models were chosen too: the figures are "
            "optimistic:",
            figures.count,
        )
    )
    weighted = " " + tr("Rows count by their weight.") if figures.weighted else ""
    headers = "".join(f'<th class="n">{markup(title)}</th>' for title, _ in columns)
    lines = "".join(
        f"<tr><td>{markup(title)}</td>"
        + "".join(f'<td class="n">{markup(text)}</td>' for text in texts)
        + "</tr>"
        for title, texts in _make_lines(figures, [cells for _, cells in columns], decision)
    )
    return (
        f"{html}<p>{markup(rows + weighted)}</p>"
        f'<div class="wide"><table><thead><tr><th></th>{headers}</tr></thead>'
        f"<tbody>{lines}</tbody></table></div>"
    )


def _make_lines(
    figures: DecisionFigures, columns: list[Confusion], decision: Decision
) -> list[tuple[str, list[str]]]:
    name = decision.looked_for
    right = tr("Right where it says “{label}” (precision)", label=name)
    lines = [
        (
            tr("“{label}” found (recall)", label=name),
            [_format_share(c.found, c.found + c.missed) for c in columns],
        ),
        (tr("False alarms"), [_format_share(c.alarms, c.alarms + c.passed) for c in columns]),
        (right, [_format_share(c.found, c.found + c.alarms) for c in columns]),
        (tr("Right overall"), [_format_share(c.found + c.passed, c.total) for c in columns]),
    ]
    miss, alarm = decision.miss_cost, decision.alarm_cost
    if miss is not None and alarm is not None:
        how = make_cost_format(figures, miss, alarm)
        costs = [
            write_amount(100 * each.cost(miss, alarm), figures.currency, how) for each in columns
        ]
        lines.append((tr("Cost of 100 rows"), costs))
    return lines


def _format_share(part: float, total: float) -> str:
    if not total:
        return "–"
    return tr(
        "{share} ({part} of {whole})",
        share=percent(part / total, 0),
        part=number(part, ",.6g"),
        whole=number(total, ",.6g"),
    )


def format_command(settings: RunSettings, file: str, space: str) -> str:
    """Return ``studio run …`` with all arguments that determine the run's result.

    Args:
        settings: With nothing left open.
        file: The table's file name.
        space: The argument of --space: a shipped space's key, or the name of an exported one.
    """
    source, plan = settings.source, settings.plan
    words = ["studio", "run", _format_file_argument(file), "-o", "again.studio"]
    words += ["--method", settings.method, "--space", _format_file_argument(space)]
    words += [
        *_format_argument("--target", source.target),
        *_format_argument("--task", source.task),
    ]
    if source.test_path:
        words += ["--test", _format_file_argument(PurePath(source.test_path).name)]
    words += _format_split_arguments(plan, settings.seed)
    words += _format_reading_arguments(source.reading)
    for flag, values in (
        ("--read", source.reading.get("columns", {})),
        ("--role", source.roles),
        ("--kind", source.kinds),
        ("--treat", source.treatments),
        ("--monotone", source.monotone),
    ):
        for name, value in values.items():
            words += _format_argument(flag, f"{name}={value}")
    for each in iter_settings(RunSettings):
        if each.decides:
            words += each.to_arguments(getattr(settings, each.name))
    for name, option in settings.overrides.items():
        words += ["--set", f"{name}={option}"]
    return shlex.join(words)


def _format_split_arguments(plan: SplitPlan, seed: int) -> list[str]:
    protocol = find_protocol(plan)
    if protocol is not None and protocol.plan.equal_rows == plan.equal_rows:
        words = ["--split", protocol.key]
    else:
        words = ["--split", "/".join(f"{100 * share:.12g}" for share in plan.shares)]
        for each in iter_settings(SplitPlan):
            words += each.to_arguments(getattr(plan, each.name))
        if plan.equal_rows != SplitPlan().equal_rows:
            words += ["--equal-rows", plan.equal_rows]
    if plan.seed != seed:  # the window divides the rows by a seed of their own
        words += ["--split-seed", str(plan.seed)]
    return words


def _format_reading_arguments(reading: Mapping[str, Any]) -> list[str]:
    """Return the arguments of reading options as JSON; those of columns are apart."""
    words: list[str] = []
    for flag, name in (("--sep", "separator"), ("--encoding", "encoding"),
                       ("--decimal", "decimal"), ("--sheet", "sheet"),
                       ("--header", "header_row"), ("--skip", "skip")):  # fmt: skip
        words += _format_argument(flag, reading.get(name))
    if (header := reading.get("header")) is not None:
        words += ["--header", "yes" if header else "none"]
    for flag, name in (("--thousands", "thousands"), ("--quote", "quote")):
        if (mark := reading.get(name)) is not None:  # "" means none
            words += [flag, mark]
    words += _format_argument("--missing", "|".join(reading.get("missing", ())))
    return words


def describe_reproduction(settings: RunSettings, not_finished: int = 0) -> str:
    """Describe whether the command reproduces the run, some of whose trials may be unfinished."""
    if settings.forked:
        return phrase(
            "This run continues run {run} of its document after trial {trial}. The command begins "
            "at the first trial instead, so it finds other models.",
            run=settings.forked["run"],
            trial=settings.forked["iteration"],
        )
    time_note = ""
    if settings.seconds is not None:
        time_note = phrase(
            "How many models fit into the time, and how far the last ones are trained, depends on "
            "the machine, too."
        )
    elif not_finished:
        time_note = phrase("Which trials run out of time depends on the machine, too.")
    if settings.workers == 1 and time_note:
        limited = phrase(
            "With the same data, settings, seed and versions, the search starts with the same "
            "models. But time was limited, so the run need not repeat itself exactly."
        )
        return joined((limited, time_note))
    if settings.workers == 1:
        return phrase("The same data, settings, seed and versions give the same trials.")
    workers_note = phrase(
        "The same data, settings, seed and versions begin with the same trials. But {workers} of "
        "them were trained at the same time: they may finish in another order, and then what is "
        "tried next, who is in the ensemble and its error may differ. Only runs with --workers 1 "
        "and no time limit repeat each other exactly.",
        workers=settings.workers,
    )
    return joined((workers_note, time_note))


def _format_file_argument(name: str) -> str:
    """Return a file's name as an argument: with a leading dash it would be parsed as an option."""
    return f"./{name}" if name.startswith("-") else name


def _format_argument(flag: str, value: object) -> list[str]:
    if value in {None, ""}:
        return []
    # A value with a leading dash would be parsed as an option.
    return [f"{flag}={value}"] if str(value).startswith("-") else [flag, str(value)]
