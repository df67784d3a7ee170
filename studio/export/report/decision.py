"""What the report says of a decision: the rule, and what it gives beside other labels."""

from studio.analysis.answers.predictions import Confusion, DecisionFigures
from studio.document.decision import Decision
from studio.printable import markup


def decision_body(kept: Decision, found: DecisionFigures, note: str) -> str:
    """Return the section's HTML; every text from data or names is escaped.

    Args:
        kept: The run's.
        found: What it gives.
        note: That it was made for an earlier result; empty if it was not.
    """
    html = f'<p class="verdict">{markup(kept.sentence)}</p>'
    if found.reason:
        return html + f"<p>{markup(found.reason)}</p>"
    name = kept.looked_for
    other = next(each for each in found.classes if each != name)
    columns = [("this decision", found.decided), ("the ensemble's own labels", found.usual)]
    if kept.miss_cost is not None and kept.alarm_cost is not None:
        columns += [
            (f"always “{name}”", found.decided.always),
            (f"always “{other}”", found.decided.never),
        ]
        html += (
            f"<p>The threshold is the cheapest one on the validation rows where a miss costs "
            f"{kept.miss_cost:g} and a false alarm {kept.alarm_cost:g}.</p>"
        )
    if note:
        html += f'<p class="warning">{markup(note)}</p>'
    row = "row" if found.count == 1 else "rows"
    rows = (
        f"test {row}, not used to choose it"
        if found.judged == "test"
        else f"validation {row}, on which the models were chosen too: the figures are optimistic"
    )
    weighted = " Rows count by their weight." if found.weighted else ""
    heads = "".join(f'<th class="n">{markup(title)}</th>' for title, _ in columns)
    lines = "".join(
        f"<tr><td>{markup(title)}</td>"
        + "".join(f'<td class="n">{markup(text)}</td>' for text in texts)
        + "</tr>"
        for title, texts in _lines(name, [cells for _, cells in columns], kept)
    )
    return (
        f"{html}<p>On {found.count:,} {rows}:{weighted}</p>"
        f'<div class="wide"><table><thead><tr><th></th>{heads}</tr></thead>'
        f"<tbody>{lines}</tbody></table></div>"
    )


def _lines(name: str, columns: list[Confusion], kept: Decision) -> list[tuple[str, list[str]]]:
    lines = [
        (f"“{name}” found (recall)", [_of(c.found, c.found + c.missed) for c in columns]),
        ("False alarms", [_of(c.alarms, c.alarms + c.passed) for c in columns]),
        (
            f"Right where it says “{name}” (precision)",
            [_of(c.found, c.found + c.alarms) for c in columns],
        ),
        ("Right overall", [_of(c.found + c.passed, c.total) for c in columns]),
    ]
    miss, alarm = kept.miss_cost, kept.alarm_cost
    if miss is not None and alarm is not None:
        costs = [f"{100 * each.cost(miss, alarm):.4g}" for each in columns]
        lines.append(("Cost of 100 rows", costs))
    return lines


def _of(part: float, whole: float) -> str:
    return f"{100 * part / whole:.0f} % ({part:,.6g} of {whole:,.6g})" if whole else "–"
