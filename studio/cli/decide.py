"""``studio decide``: the positive class of a run and its decision threshold."""

import argparse
import math
from dataclasses import asdict
from typing import TYPE_CHECKING

from studio.cli.output import add_run_arguments, open_document, print_json, print_line
from studio.cli.settings import get_given_values
from studio.measure import format_quantity, format_threshold
from studio.numerals import format_number

if TYPE_CHECKING:
    from studio.analysis.answers.predictions import ConfusionCounts, DecisionFigures
    from studio.document.decision import Decision

HELP = "For two classes: set the probability from which rows get the label (threshold)."


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the command's arguments."""
    parser.description = (
        "Stores the decision in the document; predictions, exports and the report follow it. "
        "Without --class, a threshold, costs or a capacity it only shows the outcome of the "
        "current one."
    )
    add_run_arguments(parser, "the newest with a result")
    parser.add_argument("--class", dest="positive_class", metavar="NAME",
                        help="the class to look for (default: the rarer one)")  # fmt: skip
    parser.add_argument("--threshold", type=float, metavar="P",
                        help="the probability from which rows get the label")  # fmt: skip
    parser.add_argument("--miss-cost", type=float, metavar="COST",
                        help="cost of missing a row of the class")  # fmt: skip
    parser.add_argument("--alarm-cost", type=float, metavar="COST",
                        help=(
                            "cost of a false alarm: the cheapest threshold on the validation rows "
                            "is chosen"
                        ))  # fmt: skip
    parser.add_argument("--capacity", type=float, metavar="SHARE",
                        help=(
                            "share of all rows that can be handled, such as 0.1: at most this "
                            "share of the validation rows gets the label"
                        ))  # fmt: skip
    parser.add_argument("--clear", action="store_true",
                        help="remove the decision")  # fmt: skip
    parser.add_argument("--json", action="store_true", help="print one JSON object")


def run_command(arguments: argparse.Namespace) -> int:
    """Make and store the decision, and print its outcome."""
    from studio.analysis.decision import compute_decision_figures
    from studio.document.decision import Decision
    from studio.errors import UsageError
    from studio.runs.requests import choose_run, describe_run_choice

    options = get_given_values(
        arguments, ("positive_class", "threshold", "miss_cost", "alarm_cost", "capacity")
    )
    uses_costs = not options.keys().isdisjoint({"miss_cost", "alarm_cost"})
    n_criteria = sum(["threshold" in options, uses_costs, "capacity" in options])
    if (arguments.clear and options) or n_criteria > 1:
        raise UsageError(
            "Give --threshold, or both costs, or --capacity, or --clear: they exclude each other."
        )
    changes = bool(options) or arguments.clear
    with open_document(arguments.document, writable=True if changes else None) as document:
        row = choose_run(document, arguments.run, with_result=True)
        resolved_run_id = describe_run_choice(document, row, arguments.run)
        if arguments.clear:
            document.runs.decide(row.id, None)
        figures = compute_decision_figures(document.path, row.id, **options)
        if figures.reason:
            raise UsageError(figures.reason)
        if options:
            decision = Decision(
                figures.positive_class,
                figures.threshold,
                arguments.miss_cost,
                arguments.alarm_cost,
                figures.trials,
                capacity=arguments.capacity,
            )
            document.runs.decide(row.id, decision)
        row = document.runs.get(row.id)
    stored_decision = row.decision
    if arguments.json:
        print_json({**_to_json(figures, stored_decision), "run": row.id, "note": row.decision_note})
    else:
        _print_decision(figures, stored_decision)
        for note in filter(None, (row.decision_note, resolved_run_id)):
            print_line(f"note: {note}")
    return 0


def _to_json(figures: "DecisionFigures", decision: "Decision | None") -> dict[str, object]:
    return {
        "decision": None if decision is None else asdict(decision),
        "looked_for": figures.positive_class,
        "threshold": figures.threshold,
        "rows": figures.evaluation_split,
        "count": figures.count,
        "weighted": figures.is_weighted,
        "usual": _counts_to_json(figures.method_confusion),
        "decided": _counts_to_json(figures.threshold_confusion),
    }


def _counts_to_json(counts: "ConfusionCounts") -> dict[str, float]:
    return {
        "found": counts.true_positives,
        "missed": counts.false_negatives,
        "alarms": counts.false_positives,
        "passed": counts.true_negatives,
    }


def _print_decision(figures: "DecisionFigures", stored: "Decision | None") -> None:
    print_line(
        "There is no decision: labels are the classes predicted by the ensemble."
        if stored is None
        else stored.sentence
    )
    rows = "row" if figures.count == 1 else "rows"
    print_line(
        f"On {figures.count:,} {figures.evaluation_split} {rows}, "
        f"looking for “{figures.positive_class}”:"
    )
    if figures.is_weighted:
        print_line("Each row counts by its weight: the numbers below are sums of weights.")
    print(f"  {'':28}{'found':>8}{'missed':>8}{'alarms':>8}{'precision':>11}{'recall':>8}")
    _print_cells("without a decision", figures.method_confusion)
    _print_cells(f"from {format_threshold(figures.threshold)} on", figures.threshold_confusion)
    if stored is None or stored.miss_cost is None or stored.alarm_cost is None:
        return
    miss, alarm = (
        format_quantity(cost, figures.currency, 6) for cost in (stored.miss_cost, stored.alarm_cost)
    )
    print_line(f"Cost of 100 rows (a miss {miss}, a false alarm {alarm}):")
    from studio.analysis.decision_text import make_cost_format

    cost_format = make_cost_format(figures, stored.miss_cost, stored.alarm_cost)
    for name, cells in (
        ("by this decision", figures.threshold_confusion),
        ("without a decision", figures.method_confusion),
        *(
            (f"always “{label}”", counts)
            for label, counts in figures.rank_constant_labels(stored.miss_cost, stored.alarm_cost)
        ),
    ):
        amount = 100 * cells.compute_cost(stored.miss_cost, stored.alarm_cost)
        cost = format_quantity(amount, figures.currency, cost_format)
        print_line(f"  {name:28}{cost:>8}")


def _print_cells(name: str, cells: "ConfusionCounts") -> None:
    print(
        f"  {name:28}{cells.true_positives:8.6g}{cells.false_negatives:8.6g}"
        f"{cells.false_positives:8.6g}"
        f"{_format_share(cells.precision):>11}{_format_share(cells.recall):>8}"
    )


def _format_share(value: float) -> str:
    return "–" if math.isnan(value) else f"{format_number(100 * value, '.1f')}%"
