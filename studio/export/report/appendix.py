"""What is at the end of the report: how the search went, columns, and trials that gave nothing."""

from collections.abc import Sequence

from studio.document.trials import GAP
from studio.export.report import charts
from studio.export.report.charts import ENSEMBLE, SINGLE
from studio.export.report.facts import ReportFacts
from studio.export.report.members import MAX_ROWS, model_name
from studio.export.report.numbers import signed
from studio.printable import markup
from studio.questions.columns.figure import report_appendix
from studio.trial import Trial


def appendix(facts: ReportFacts) -> Sequence[tuple[str, str]]:
    """Return titles and bodies of the sections; a body that is empty has nothing to say."""
    return (
        ("Columns that may not matter", report_appendix(facts.effects)),
        ("How did the search go?", _course(facts)),
        ("Models that failed", _trials(facts, facts.failed, "could not be trained")),
        ("Models that were not finished", _trials(facts, facts.not_finished, "ran out of time")),
    )


def _course(facts: ReportFacts) -> str:
    """Return how the search went, as HTML; empty of too few trials."""
    iterations = [each for each in facts.iterations if each.best is not None]
    if len(iterations) < 2:
        return ""
    step = max(1, len(iterations) // 800)
    shown = iterations[::step]
    lines: list[charts.Line] = [
        ("ensemble, validation", [each.ensemble_validation for each in shown], ENSEMBLE, False),
        ("best single, validation", [each.single_validation for each in shown], SINGLE, False),
    ]
    if iterations[-1].ensemble_test is not None:
        lines += [
            ("ensemble, test", [each.ensemble_test for each in shown], ENSEMBLE, True),
            ("best single, test", [each.single_test for each in shown], SINGLE, True),
        ]
    dots = [(trial.number, trial.loss) for trial in facts.trials if trial.loss is not None]
    return (
        "<p>Errors over the trials. Grey dots are the single models on the validation "
        "rows. Where a dashed line (test) lies above the solid one of its colour (validation), the "
        "validation error was optimistic: it was used to choose, or it was chance."
        f"{_gap(facts)}</p>"
        + charts.course(
            [each.number for each in shown],
            lines,
            dots[:: max(1, len(dots) // 1500)],
            facts.unit,
            f"{facts.prepared.metric.title} by number of trials",
        )
    )


def _gap(facts: ReportFacts) -> str:
    """Say whether that is so here, or may be chance."""
    gap = facts.iterations[-1].details.get(GAP)
    if gap is None:
        return ""
    if gap[0] <= 0 <= gap[1]:
        return " In the end the difference of the two is no more than chance explains."
    low, high = (signed(each, facts.unit) for each in gap)
    return f" In the end the test error differs from it by {low} to {high} (95 % interval)."


def _trials(facts: ReportFacts, listed: Sequence[Trial], what: str) -> str:
    if not listed:
        return ""
    lines = "".join(
        f'<tr><td class="n">{trial.number}</td>'
        f'<td class="name">{markup(model_name(trial))}</td>'
        f"<td>{markup(trial.cause)}</td><td>{markup(trial.remedy)}</td></tr>"
        for trial in listed[:MAX_ROWS]
    )
    more = len(listed) - MAX_ROWS
    trials = "trial" if len(facts.trials) == 1 else "trials"
    them = "it" if len(listed) == 1 else "them"
    heads = '<th class="n">Trial</th><th>Model</th><th>What happened</th><th>What to do</th>'
    return (
        f"<p>{len(listed):,} of {len(facts.trials):,} {trials} {what}; the search continued "
        f'without {them}.</p><div class="wide"><table><thead><tr>{heads}</tr></thead>'
        f"<tbody>{lines}</tbody></table></div>"
        + (f'<p class="muted">And {more:,} more.</p>' if more > 0 else "")
    )
