"""What the report says of the ensemble's members."""

import numpy as np

from studio.ensembles.calibration import in_words
from studio.export.report import charts
from studio.export.report.facts import ReportFacts
from studio.export.report.numbers import figure, signed
from studio.learners.names import learner_of, short_title
from studio.printable import markup
from studio.trial import Trial

MAX_ROWS = 40
"""Members or failed trials that are listed; the CSV has all."""

COMBINATIONS = {
    "vote": "Each member votes for a class with its weight; the class with the most votes wins. "
    "Probabilities are the weighted mean of the members'.",
    "mean": "The members' predictions are averaged with their weights.",
    "stack": "A second, linear model combines the members' predictions.",
}


def members(facts: ReportFacts) -> str:
    """Return the section's HTML; empty where the members rest on a trial that is lost."""
    found, unit = facts.members, facts.unit
    if not found.members.size:
        return ""
    by_number = {trial.number: trial for trial in facts.trials}
    tested = facts.rows == "test" and not np.isnan(found.own_test).any()
    own = found.own_test if tested else found.own_validation
    adds = (
        found.without_test - found.test if tested else found.without_validation - found.validation
    )
    lines, names, words = [], [], []
    for place, number in enumerate(found.members.tolist()[:MAX_ROWS]):
        trial = by_number[number]
        name = model_title(trial)
        names.append((f"{name} (trial {number})", float(found.weights[place])))
        words.append(f"{100 * found.weights[place]:.0f} %")
        values = ", ".join(
            f"{key.rpartition('.')[2]} {_short(value)}"
            for key, value in trial.configuration.items()
            if key != "algorithm"
        )
        lines.append(
            f'<tr><td class="n">{number}</td><td class="name">{markup(name)}</td>'
            f'<td class="n">{100 * found.weights[place]:.1f} %</td>'
            f'<td class="n">{figure(float(own[place]), unit)}</td>'
            f'<td class="n">{signed(float(adds[place]), unit)}</td>'
            f'<td class="muted">{markup(values) or "defaults"}</td></tr>'
        )
    what = "test" if tested else "validation"
    kinds = dict.fromkeys(model_name(by_number[number]) for number in found.members.tolist())
    more = len(found.members) - MAX_ROWS
    return (
        f"<p>{COMBINATIONS[_combination(facts)]} {_temperature(facts)}“Adds” is by how much "
        f"the {what} error would grow if the member were left out and the others kept their "
        "proportions; a member may cost something on these rows and still help on others.</p>"
        f"<p>Kinds of model in it: {markup(', '.join(kinds))}.</p>"
        + charts.bars(names, "Weights of the members", words)
        + '<div class="wide"><table><thead><tr><th class="n">Trial</th><th>Model</th>'
        f'<th class="n">Weight</th><th class="n">Own {what} error</th><th class="n">Adds</th>'
        f"<th>Settings</th></tr></thead><tbody>{''.join(lines)}</tbody></table></div>"
        + (f'<p class="muted">And {more:,} more.</p>' if more > 0 else "")
    )


def model_title(trial: Trial) -> str:
    """Return what kind of model a trial trained, for people."""
    return short_title(_key(trial))


def model_name(trial: Trial) -> str:
    """Return the same at its first use, with what legends and spaces call it: "Lasso (lasso)"."""
    key, title = _key(trial), model_title(trial)
    return title if title == key else f"{title} ({key})"


def _key(trial: Trial) -> str:
    return learner_of(trial.configuration) or "model"


def _combination(facts: ReportFacts) -> str:
    if facts.row.result:
        return facts.row.result.combination
    return "mean" if not facts.prepared.problem.classes else "vote"


def _temperature(facts: ReportFacts) -> str:
    words = in_words(facts.row.result.temperature if facts.row.result else 1.0)
    return f"{markup(words)} " if words else ""


def _short(value: object) -> str:
    return f"{value:.4g}" if isinstance(value, float) else str(value)
