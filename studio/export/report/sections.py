"""Sections of a report: members, decision, the command to reproduce the run, appendix."""

import shlex
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import PurePath
from typing import Any

import numpy as np

from studio.analysis.answers.predictions import DecisionFigures
from studio.analysis.decision_text import WITHOUT_DECISION, list_outcome_lines
from studio.analysis.loss_difference import describe_before_refit
from studio.analysis.number_phrases import make_rounded_phrase
from studio.data.splits import SplitPlan, find_protocol
from studio.document.decision import Decision
from studio.document.trials import GAP_KEY, Iteration
from studio.ensembles.calibration import describe_temperature
from studio.ensembles.correction import describe_correction
from studio.export.report import charts
from studio.export.report.charts import ENSEMBLE, SINGLE, format_difference
from studio.export.report.facts import ReportFacts
from studio.language import N_, format_setting, format_share, group_digits, ntr, tr, translate
from studio.learners.names import get_learner, get_short_title
from studio.learners.operators.base import EMPTY
from studio.measure import format_loss, format_quantity, format_threshold
from studio.numerals import NumeralFormat
from studio.phrases import join_phrases, phrase
from studio.printable import escape_markup
from studio.questions.columns.figure import render_report_appendix
from studio.runs.settings import RunSettings, explain_refit
from studio.setting import iter_settings
from studio.trial import Trial

MAX_ROWS = 40
"""Maximum number of listed members or failed trials; the CSV lists all."""

_COMBINATIONS = {
    "vote": N_(
        "Each member votes for a class with its weight; the class with the most votes wins. "
        "Probabilities are the weighted mean of the members'."
    ),
    "mean": N_("The members' predictions are averaged with their weights."),
    "stack": N_("A second, linear model combines the members' predictions."),
}


def render_members(facts: ReportFacts) -> str:
    """Return the section's HTML; empty if a member's trial is lost."""
    contributions, unit = facts.members, facts.unit
    if not contributions.members.size:
        return ""
    by_number = {trial.number: trial for trial in facts.trials}
    is_tested = facts.rows == "test" and not np.isnan(contributions.member_test_losses).any()
    single_losses = contributions.member_validation_losses
    increases = {"validation": contributions.adds_validation}
    if is_tested:
        single_losses = contributions.member_test_losses
        increases["test"] = contributions.adds_test
    own_format = NumeralFormat.for_losses(single_losses.tolist())
    change_format = NumeralFormat.for_values(np.concatenate([*increases.values()]).tolist(), 3)
    lines, names, texts = [], [], []
    for position, trial_number in enumerate(contributions.members.tolist()[:MAX_ROWS]):
        trial = by_number[trial_number]
        name = _get_model_title(trial)
        weight = float(contributions.weights[position])
        names.append((tr("{model} (trial {number})", model=name, number=trial_number), weight))
        texts.append(format_share(weight, 0))
        values = ", ".join(
            f"{key.rpartition('.')[2]} {_shorten(value)}"
            for key, value in trial.configuration.items()
            if key != "algorithm"
        )
        lines.append(
            f'<tr><td class="n">{trial_number}</td><td class="name">{escape_markup(name)}</td>'
            f'<td class="n">{texts[-1]}</td>'
            f'<td class="n">{format_loss(float(single_losses[position]), unit, own_format)}</td>'
            + "".join(
                f'<td class="n">{format_difference(float(each[position]), unit, change_format)}'
                "</td>"
                for each in increases.values()
            )
            + f'<td class="muted">{escape_markup(values or tr("defaults"))}</td></tr>'
        )
    paragraphs = [
        tr(_COMBINATIONS[_get_combination(facts)]),
        translate(describe_temperature(facts.row.result.temperature if facts.row.result else 1.0)),
        translate(describe_correction(facts.row.result.correction if facts.row.result else 0.0)),
        tr(
            "“Contribution” is the increase of the validation or test error if the member is left "
            "out and the others keep their proportions; a member may be harmful on these rows and "
            "still useful on others."
        ),
        _describe_tested_models(facts) if is_tested else "",
    ]
    headers = [tr("Weight"), tr("Own test error") if is_tested else tr("Own validation error")]
    headers += [
        tr("Contribution, test") if rows == "test" else tr("Contribution, validation")
        for rows in increases
    ]
    return (
        f"<p>{escape_markup(' '.join(filter(None, paragraphs)))}</p>"
        + charts.draw_bars(names, tr("Weights of the members"), texts)
        + '<div class="wide"><table><thead><tr>'
        + f'<th class="n">{escape_markup(tr("Trial"))}</th><th>{escape_markup(tr("Model"))}</th>'
        + "".join(f'<th class="n">{escape_markup(each)}</th>' for each in headers)
        + f"<th>{escape_markup(tr('Settings'))}</th></tr></thead>"
        + f"<tbody>{''.join(lines)}</tbody></table></div>{_render_more(len(contributions.members))}"
    )


def _render_more(count: int) -> str:
    """Return the number of unlisted rows as HTML; empty for none."""
    if (n_more := count - MAX_ROWS) <= 0:
        return ""
    text = ntr("And {count} more.", "And {count} more.", n_more)
    return f'<p class="muted">{escape_markup(text)}</p>'


def count_rows(count: int, kind: str = "") -> str:
    """Return a number of rows in words; ``kind`` is "test", "validation" or another word."""
    if not kind:
        return ntr("{count} row", "{count} rows", count)
    if kind == "test":
        return ntr("{count} test row", "{count} test rows", count)
    return ntr("{count} validation row", "{count} validation rows", count)


def describe_split(facts: ReportFacts, n_test: int) -> str:
    """Describe the split, with ``n_test`` test rows."""
    plan, split = facts.prepared_run.settings.plan, facts.prepared_run.split
    validation_text = group_digits(split.validation.size)
    parts = tr(
        "{train} for training, {validation} for selection",
        train=group_digits(split.train.size),
        validation=validation_text,
    )
    if facts.test_file:
        if plan.folds is not None:
            rows = count_rows(split.validation.size)
            parts = tr("{folds}-fold cross-validation on {rows}", folds=plan.folds, rows=rows)
        return ntr(
            "{parts}; the {count} test row is from {file}",
            "{parts}; the {count} test rows are from {file}",
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
            "{folds}-fold cross-validation on the other {rows}",
            folds=plan.folds,
            rows=validation_text,
        )
        return tr("; ").join((test_text, folds))
    return f"{parts}, {test_text}"


def describe_trials(facts: ReportFacts) -> str:
    """Return the number of trials, and of failed ones: "11, of these 1 failed"."""
    n_early = sum(trial.status == "ended early" for trial in facts.trials)
    n_late = len(facts.timed_out_trials)
    n_failed = len(facts.failed)
    problem_texts = [
        n_early
        and ntr(
            "{count} rejected early, as its first folds were too poor",
            "{count} rejected early, as their first folds were too poor",
            n_early,
        ),
        n_late and ntr("{count} not finished in time", "{count} not finished in time", n_late),
        n_failed and ntr("{count} failed", "{count} failed", n_failed),
    ]
    listing = tr("; ").join(each for each in problem_texts if each)
    trials = group_digits(len(facts.trials))
    return tr("{trials}, of these {lost}", trials=trials, lost=listing) if listing else trials


def make_plain_figure(facts: ReportFacts) -> tuple[tuple[str, str], ...]:
    """Return the headline's figure and its meaning in everyday terms; empty if there is none."""
    score = facts.headline
    if score is None or score.metric:
        return ()
    ranked = score.get_ranking(facts.row.positive_class)
    if ranked is not None:
        caption = tr(
            "of the {top} rows ranked highest are “{label}”",
            top=group_digits(ranked.top),
            label=ranked.label,
        )
        return ((group_digits(ranked.hits), caption),)
    if score.of_classes:
        guess = format_share(score.guess)
        caption = (
            tr("right, averaged over the classes; always guessing the same: {guess}", guess=guess)
            if score.per_class
            else tr("right; guessing the most common class: {guess}", guess=guess)
        )
        return ((format_share(score.average), caption),)
    error = translate(make_rounded_phrase(score.average, unit=score.target_unit))
    return ((error, tr("off on average")),)


def _describe_tested_models(facts: ReportFacts) -> str:
    """Describe the models evaluated by the members' test errors; empty without a refit."""
    if not facts.refitted:
        return ""
    if facts.members.is_refitted:
        return translate(explain_refit(facts.training))
    return tr("Test errors of members are those of the search's models.")


def list_model_kinds(facts: ReportFacts) -> str:
    """Return the ensemble's kinds of models, without duplicates; empty if a trial is lost."""
    by_number = {trial.number: trial for trial in facts.trials}
    members = facts.members.members.tolist()
    return ", ".join(dict.fromkeys(_get_model_title(by_number[number]) for number in members))


def _get_model_title(trial: Trial) -> str:
    return translate(get_short_title(get_learner(trial.configuration) or "model"))


def _get_combination(facts: ReportFacts) -> str:
    if facts.row.result:
        return facts.row.result.combination
    return "mean" if not facts.prepared_run.problem.classes else "vote"


def _shorten(value: object) -> str:
    if value == EMPTY:
        return tr("none")
    return format_setting(value)


def render_appendix(facts: ReportFacts) -> Sequence[tuple[str, str]]:
    """Return titles and bodies of the sections; empty bodies are skipped."""
    n_trials = group_digits(len(facts.trials))
    failed_note = ntr(
        "{count} of {all} trials could not be trained; the search continued without it.",
        "{count} of {all} trials could not be trained; the search continued without them.",
        len(facts.failed),
        all=n_trials,
    )
    late_note = ntr(
        "{count} of {all} trials ran out of time; the search continued without it.",
        "{count} of {all} trials ran out of time; the search continued without them.",
        len(facts.timed_out_trials),
        all=n_trials,
    )
    return (
        (tr("Columns that may not matter overall"), render_report_appendix(facts.effects)),
        (tr("How did the search go?"), _render_loss_curve(facts)),
        (tr("Failed models"), _render_trials(facts.failed, failed_note)),
        (tr("Unfinished models"), _render_trials(facts.timed_out_trials, late_note)),
    )


def _render_loss_curve(facts: ReportFacts) -> str:
    """Return the course of the search as HTML; empty with too few trials."""
    iterations = [each for each in facts.iterations if each.best is not None]
    if len(iterations) < 2:
        return ""
    step = max(1, len(iterations) // 800)
    plotted_iterations = iterations[::step]

    def make_line(
        name: str, get_loss: Callable[[Iteration], float | None], colour: str, is_test: bool = False
    ) -> charts.Line:
        return name, list(map(get_loss, plotted_iterations)), colour, is_test

    lines = [
        make_line(tr("ensemble, validation"), lambda i: i.ensemble_validation, ENSEMBLE),
        make_line(tr("best single, validation"), lambda i: i.single_validation, SINGLE),
    ]
    if iterations[-1].ensemble_test is not None:
        lines += [
            make_line(tr("ensemble, test"), lambda i: i.ensemble_test, ENSEMBLE, is_test=True),
            make_line(tr("best single, test"), lambda i: i.single_test, SINGLE, is_test=True),
        ]
    dots = [(trial.number, trial.loss) for trial in facts.trials if trial.loss is not None]
    explanation = tr(
        "Errors over the trials. Grey dots are the single models on the validation rows. Where a "
        "dashed line (test) lies above the solid one of its colour (validation), the validation "
        "error was optimistic: it was used to choose, or it was chance."
    )
    texts = filter(None, (explanation, _describe_gap(facts), _describe_refit(facts)))
    return f"<p>{escape_markup(' '.join(texts))}</p>" + charts.draw_loss_curve(
        [each.number for each in plotted_iterations],
        lines,
        dots[:: max(1, len(dots) // 1500)],
        facts.unit,
        tr("{metric} by number of trials", metric=translate(facts.prepared_run.metric.title)),
    )


def _describe_refit(facts: ReportFacts) -> str:
    if not facts.refitted or facts.iterations[-1].ensemble_test is None:
        return ""
    text = tr(
        "All errors are those of the search's models; the final models were refitted, so their "
        "test errors differ."
    )
    result, last = facts.row.result, facts.iterations[-1]
    before = result and result.get_test_before_refit(last.ensemble_test, last.number)
    write = partial(format_loss, unit=facts.unit)
    return f"{text} {describe_before_refit(before, facts.ensemble.value, write)}".strip()


def _describe_gap(facts: ReportFacts) -> str:
    gap = facts.iterations[-1].details.get(GAP_KEY)
    if gap is None:
        return ""
    if gap[0] <= 0 <= gap[1]:
        return tr("At the end, the difference between the two may be due to chance.")
    low, high = (
        format_difference(each, facts.unit, NumeralFormat.for_values(gap, 3)) for each in gap
    )
    return tr(
        "At the end, the test error differs from the validation error by {low} to {high} (95 % "
        "interval).",
        low=low,
        high=high,
    )


def _render_trials(trials: Sequence[Trial], explanation: str) -> str:
    if not trials:
        return ""
    lines = "".join(
        f'<tr><td class="n">{trial.number}</td>'
        f'<td class="name">{escape_markup(_get_model_title(trial))}</td>'
        f"<td>{escape_markup(translate(trial.cause))}</td><td>{escape_markup(translate(trial.remedy))}</td></tr>"
        for trial in trials[:MAX_ROWS]
    )
    headers = "".join(
        f"<th>{escape_markup(each)}</th>"
        for each in (tr("Model"), tr("What happened"), tr("What to do"))
    )
    return (
        f'<p>{escape_markup(explanation)}</p><div class="wide"><table><thead><tr>'
        f'<th class="n">{escape_markup(tr("Trial"))}</th>{headers}</tr></thead>'
        f"<tbody>{lines}</tbody></table></div>{_render_more(len(trials))}"
    )


def render_decision(
    decision: Decision, figures: DecisionFigures, note: str, *, is_stated: bool = False
) -> str:
    """Return the section's HTML, escaped; ``is_stated``: the decision is described above."""
    html = ""
    if not is_stated:
        html = f'<p class="conclusion">{escape_markup(translate(decision.sentence))}</p>'
    if figures.reason:
        return html + f"<p>{escape_markup(translate(figures.reason))}</p>"
    columns = [
        (tr("this decision"), figures.threshold_confusion),
        (tr(WITHOUT_DECISION), figures.method_confusion),
    ]
    explanation, costs = "", None
    if decision.miss_cost is not None and decision.alarm_cost is not None:
        costs = decision.miss_cost, decision.alarm_cost
        columns += [
            (tr("always “{label}”", label=label), counts)
            for label, counts in figures.rank_constant_labels(*costs)
        ]
        explanation = tr(
            "The threshold is the cheapest one on the validation rows for a cost of {miss} per "
            "miss and {alarm} per false alarm.",
            miss=format_quantity(decision.miss_cost, figures.currency, 6),
            alarm=format_quantity(decision.alarm_cost, figures.currency, 6),
        )
    if decision.capacity is not None:
        explanation = tr(
            "The threshold is the lowest one reached by at most {share} of the validation rows.",
            share=format_threshold(decision.capacity),
        )
    html += f"<p>{escape_markup(explanation)}</p>" if explanation else ""
    if note:
        html += f'<p class="warning">{escape_markup(translate(note))}</p>'
    rows = (
        ntr(
            "On {count} test row, not used to choose it:",
            "On {count} test rows, not used to choose it:",
            figures.count,
        )
        if figures.evaluation_split == "test"
        else ntr(
            "On {count} validation row, also used to choose the models, so these figures are "
            "optimistic:",
            "On {count} validation rows, also used to choose the models, so these figures are "
            "optimistic:",
            figures.count,
        )
    )
    weighted = tr("Numbers are sums of weights, not of rows.") + " " if figures.is_weighted else ""
    headers = "".join(f'<th class="n">{escape_markup(title)}</th>' for title, _ in columns)
    lines = "".join(
        f"<tr><td>{escape_markup(title)}</td>"
        + "".join(f'<td class="n">{escape_markup(text)}</td>' for text in texts)
        + "</tr>"
        for title, texts in list_outcome_lines(
            figures, [cells for _, cells in columns], decision.looked_for, costs
        )
    )
    return (
        f"{html}<p>{escape_markup(weighted + rows)}</p>"
        f'<div class="wide"><table><thead><tr><th></th>{headers}</tr></thead>'
        f"<tbody>{lines}</tbody></table></div>"
    )


def format_command(settings: RunSettings, file: str, space: str) -> str:
    """Return ``studio run …`` with all arguments that determine the run's result."""
    source, plan = settings.source, settings.plan
    arguments = ["studio", "run", _format_file_argument(file), "-o", "again.studio"]
    arguments += ["--method", settings.method, "--space", _format_file_argument(space)]
    arguments += [
        *_format_argument("--target", source.target),
        *_format_argument("--task", source.task),
    ]
    if source.test_path:
        arguments += ["--test", _format_file_argument(PurePath(source.test_path).name)]
    arguments += _format_split_arguments(plan, settings.seed)
    arguments += _format_reading_arguments(source.reading)
    for flag, values in (
        ("--read", source.reading.get("columns", {})),
        ("--role", source.roles),
        ("--kind", source.kinds),
        ("--treat", source.treatments),
        ("--monotone", source.monotone),
    ):
        for name, value in values.items():
            arguments += _format_argument(flag, f"{name}={value}")
    for each in iter_settings(RunSettings):
        if each.affects_result:
            arguments += each.to_arguments(getattr(settings, each.name))
    for name, option in settings.overrides.items():
        arguments += ["--set", f"{name}={option}"]
    return shlex.join(arguments)


def _format_split_arguments(plan: SplitPlan, seed: int) -> list[str]:
    protocol = find_protocol(plan)
    if protocol is not None and protocol.plan.equal_rows == plan.equal_rows:
        arguments = ["--split", protocol.key]
    else:
        arguments = ["--split", "/".join(f"{100 * share:.12g}" for share in plan.shares)]
        for each in iter_settings(SplitPlan):
            arguments += each.to_arguments(getattr(plan, each.name))
        if plan.equal_rows != SplitPlan().equal_rows:
            arguments += ["--equal-rows", plan.equal_rows]
    if plan.seed != seed:  # the window uses a separate seed for the split
        arguments += ["--split-seed", str(plan.seed)]
    return arguments


def _format_reading_arguments(reading: Mapping[str, Any]) -> list[str]:
    """Return the arguments of reading options as JSON; those of columns are separate."""
    arguments: list[str] = []
    for flag, name in (("--sep", "separator"), ("--encoding", "encoding"),
                       ("--decimal", "decimal"), ("--sheet", "sheet"),
                       ("--header", "header_row"), ("--skip", "skip")):  # fmt: skip
        arguments += _format_argument(flag, reading.get(name))
    if (header := reading.get("header")) is not None:
        arguments += ["--header", "yes" if header else "none"]
    for flag, name in (("--thousands", "thousands"), ("--quote", "quote")):
        if (mark := reading.get(name)) is not None:  # "" means none
            arguments += [flag, mark]
    arguments += _format_argument("--missing", "|".join(reading.get("missing", ())))
    return arguments


def describe_reproduction(settings: RunSettings, not_finished: int = 0) -> str:
    """Describe whether the command reproduces the run, given its number of unfinished trials."""
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
            "The number of models within the time limit, and the training of the last ones, also "
            "depend on the machine."
        )
    elif not_finished:
        time_note = phrase("The trials that run out of time also depend on the machine.")
    if settings.workers == 1 and time_note:
        limit_note = phrase(
            "With the same data, settings, seed and versions, the search starts with the same "
            "models. But time was limited, so the result may differ."
        )
        return join_phrases((limit_note, time_note))
    if settings.workers == 1:
        return phrase("The same data, settings, seed and versions give the same trials.")
    workers_note = phrase(
        "The same data, settings, seed and versions begin with the same trials. But {workers} of "
        "them were trained in parallel: they may finish in a different order, and then the next "
        "trials, the members and the error may differ. Only runs with --workers 1 and no time "
        "limit are exactly reproducible.",
        workers=settings.workers,
    )
    return join_phrases((workers_note, time_note))


def _format_file_argument(name: str) -> str:
    """Return a file's name as an argument: a leading dash would be parsed as an option."""
    return f"./{name}" if name.startswith("-") else name


def _format_argument(flag: str, value: object) -> list[str]:
    if value in {None, ""}:
        return []
    # A value with a leading dash would be parsed as an option.
    return [f"{flag}={value}"] if str(value).startswith("-") else [flag, str(value)]
