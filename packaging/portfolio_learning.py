"""Order the candidates of a portfolio, evaluate the order, and write both."""

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np

from portfolio_kinds import KINDS, SEED  # in the same folder
from studio.arrays import Floats
from studio.figures.axes import HEIGHT, TOP, WIDTH, Axes, make_end_labels
from studio.figures.shapes import Diagram, Shape, get_series_colour, render_svg
from studio.figures.shapes import Path as Line
from studio.learners.registry import REGISTRY as LEARNERS
from studio.parts import find_part

ROOT = Path(__file__).resolve().parents[1]
PORTFOLIOS = ROOT / "resources" / "portfolios"
STUDIES = ROOT / "docs" / "studies"

MAX_SECONDS = 20.0
"""As in the trials (portfolio.py)."""

STARTS, STEPS = 25, 40
"""Length of a portfolio, and selection steps of the ensembles for its evaluation."""

MIN_STARTS = 10
"""Starts that are kept although the last ones add nothing on average, as tables differ."""

THRIFT = 0.5
"""A candidate's gain is divided by this power of its seconds."""

MIN_SECONDS = 0.06
"""Minimum seconds of a fit, as a trial has overhead."""

LONGEST = 16
"""Maximum length of evaluated orders."""

MARK = "<!-- written by packaging/portfolio.py learn -->\n"

RANDOM_ORDERS = 10
"""Random orders for comparison with the learned one."""


@dataclass(frozen=True)
class CandidateTrials:
    """Trials of the candidates on one table.

    Attributes:
        size: Training rows of a fit, columns, classes (0 for regression).
        seconds: Shape (m,). Of a fit; infinite where a candidate failed.
        spent: Shape (m,). As ``seconds``, but also of failures, and not a number where a training
            ended before it would have: the time allowed was over.
        selecting, judging: Squared losses of mixtures w of the candidates, as wᵀ G w - 2 bᵀ w + c:
            G of shape (m, m) and b of shape (m,), c left out, for the out-of-fold and for the test
            predictions.
        constant: c of the test rows.
    """

    name: str
    size: tuple[int, int, int]
    seconds: Floats
    spent: Floats
    selecting: tuple[Floats, Floats]
    judging: tuple[Floats, Floats]
    constant: float

    def loss(self, weights: Floats) -> float:
        """Return the squared test loss of a mixture, relative to predicting the test rows' mean."""
        G, b = self.judging
        return float(weights @ G @ weights - 2 * b @ weights + self.constant)


def files(folder: Path, count: int) -> list[Path]:
    """Return the files of the trials of a portfolio's candidates on one table."""
    return [folder / f"{index}.npz" for index in range(count)]


def load_trials(folder: Path, paths: Sequence[Path]) -> CandidateTrials:
    """Read the trials of one table, with targets from a folder."""
    truth = np.load(folder / "truth.npz")
    n_rows, n_columns, n_classes = truth["shape"].tolist()
    seconds, seconds_spent = np.full((2, len(paths)), np.inf)
    parts: list[list[Floats]] = [[], []]
    targets = []
    for y in (truth["y"], truth["test"]):
        hot = np.eye(n_classes)[y] if n_classes else y[:, None].astype(float)
        targets.append(hot - truth["y"].mean() if not n_classes else hot)
    scale = [float(np.square(t - t.mean(axis=0)).sum(axis=1).mean()) or 1.0 for t in targets]
    for index, path in enumerate(paths):
        with np.load(path) as archive:
            seconds_spent[index] = np.nan if archive.get("cut") else float(archive["seconds"])
            seconds[index] = np.inf if "fault" in archive else float(archive["seconds"])
            for array_list, key in zip(parts, ("validation", "test"), strict=True):
                if key in archive:
                    predictions = archive[key].astype(float).reshape(len(archive[key]), -1)
                    array_list.append(predictions if n_classes else predictions - truth["y"].mean())
                else:
                    array_list.append(np.zeros_like(targets[0 if key == "validation" else 1]))
    forms = []
    for array_list, target, unit in zip(parts, targets, scale, strict=True):
        flat = np.stack([each.ravel() for each in array_list])
        per_row = len(target) * unit
        forms.append((flat @ flat.T / per_row, flat @ target.ravel() / per_row))
    constant = float(np.square(targets[1]).sum() / (len(targets[1]) * scale[1]))
    size = (n_rows, n_columns, n_classes)
    return CandidateTrials(folder.name, size, seconds, seconds_spent, forms[0], forms[1], constant)


def select_members(table: CandidateTrials, among: list[int]) -> Floats:
    """Return the weights of greedy selection with replacement by the out-of-fold squared loss."""
    G, b = table.selecting
    among = [place for place in among if np.isfinite(table.seconds[place])]
    counts = np.zeros(len(b))
    if not among:
        return counts
    diagonal, dots = G.diagonal()[among], np.zeros(len(among))
    square = straight = 0.0
    for step in range(1, STEPS + 1):
        losses = (square + 2 * dots + diagonal) / step**2 - 2 * (straight + b[among]) / step
        best = int(losses.argmin())
        square += 2 * dots[best] + diagonal[best]
        straight += b[among[best]]
        dots += G[among[best], among]
        counts[among[best]] += 1
    return counts / STEPS


def mean_seconds(tables: list[CandidateTrials], count: int) -> Floats:
    """Return the mean seconds of each candidate over the tables, shape (count,)."""
    capped_seconds = np.array([np.minimum(table.seconds[:count], MAX_SECONDS) for table in tables])
    mean_seconds_of_candidates: Floats = capped_seconds.mean(axis=0)
    return mean_seconds_of_candidates


def order_candidates(
    tables: list[CandidateTrials], count: int, max_starts: int = STARTS
) -> list[int]:
    """Return the order of candidates by benefit per second.

    The gain of a candidate is the mean over the tables of the log ratio of the test losses without
    and with it; it is divided by a power of the mean seconds, :data:`THRIFT`.
    """
    selected: list[int] = []
    seconds = mean_seconds(tables, count)
    losses_before = np.array([1.0 for _ in tables])
    while len(selected) < min(max_starts, count):
        gains = np.full(count, -np.inf)
        losses = {}
        for candidate in set(range(count)) - set(selected):
            losses_now = np.array(
                [table.loss(select_members(table, [*selected, candidate])) for table in tables]
            )
            losses[candidate] = losses_now
            gains[candidate] = (
                np.mean(np.log(losses_before / losses_now))
                / max(seconds[candidate], MIN_SECONDS) ** THRIFT
            )
        best = int(gains.argmax())
        selected.append(best)
        losses_before = losses[best]
    return selected


def costs(tables: list[CandidateTrials], place: int) -> list[float]:
    """Return log seconds of one fit: constant, and exponents of rows, columns and classes."""
    finished_tables = [table for table in tables if np.isfinite(table.spent[place])]
    A = np.array([
        [1.0, np.log(table.size[0]), np.log(table.size[1]), np.log(max(2, table.size[2]))]
        for table in finished_tables
    ])  # fmt: skip
    y = np.array([np.log(max(table.spent[place], 1e-3)) for table in finished_tables])
    # A weak ridge towards typical exponents determines those that few tables cannot.
    typical_exponents = np.array([0.0, 1.0, 0.5, 0.5 if A[:, 3].std() else 0.0])
    hold = np.diag([0.0, 2.0, 2.0, 2.0])
    coefficients = (
        np.linalg.solve(A.T @ A + hold, A.T @ (y - A @ typical_exponents)) + typical_exponents
    )
    return [round(float(each), 4) for each in coefficients]


@dataclass(frozen=True)
class OrderScores:
    """Performance of an order on held-out tables.

    Attributes:
        losses: Shape (orders, tables, lengths). Squared test loss of the ensemble of each order's
            first candidates, divided by that of all candidates; orders: learned, cheapest first, at
            random (the mean of several).
    """

    tables: list[str]
    losses: Floats

    @property
    def ratios(self) -> Floats:
        """Geometric means over the tables, shape (orders, lengths)."""
        geometric_means: Floats = np.exp(np.log(self.losses).mean(axis=1))
        return geometric_means

    @property
    def ranks(self) -> Floats:
        """Mean ranks of the orders over the tables, shape (orders, lengths)."""
        n_better = (self.losses[:, None] > self.losses[None]).sum(axis=1)
        n_equal = (self.losses[:, None] == self.losses[None]).sum(axis=1) - 1
        ranks: Floats = (1 + n_better + 0.5 * n_equal).mean(axis=1)
        return ranks


ORDERS = ("learned from the other tables", "cheapest first", "at random")
_NAMES = 220.0
"""Space for them at the ends of their lines, in pixels."""


def evaluate_orders(tables: list[CandidateTrials], count: int, length: int) -> OrderScores:
    """Leave one table out at a time."""
    rng = np.random.default_rng(SEED)
    seconds = mean_seconds(tables, count)
    cheap = np.argsort(seconds, kind="stable").tolist()
    losses = np.empty((len(ORDERS), len(tables), length))
    for index, table in enumerate(tables):
        other_tables = [each for each in tables if each is not table]
        random_orders = [rng.permutation(count).tolist() for _ in range(RANDOM_ORDERS)]
        full_loss = table.loss(select_members(table, list(range(count))))
        for row, orders in enumerate(
            ([order_candidates(other_tables, count, length)], [cheap], random_orders)
        ):
            for size in range(1, length + 1):
                order_losses = [table.loss(select_members(table, order[:size])) for order in orders]
                losses[row, index, size - 1] = np.mean(order_losses) / full_loss
        print(table.name, losses[0, index].round(3).tolist(), flush=True)
    return OrderScores([table.name for table in tables], losses)


def picture(key: str, found: OrderScores) -> str:
    """Return mean ranks of the orders against the length of the portfolio, as SVG."""
    lengths = found.losses.shape[2]
    axes = Axes((1, lengths), (1, len(ORDERS)), "length of the portfolio",
                "mean rank (1 is best)", is_y_inverted=True, right_margin=_NAMES)  # fmt: skip
    shapes: list[Shape] = axes.draw_frame()
    line_ends = []
    for index in range(len(ORDERS)):
        line = tuple(
            (axes.to_x(at + 1), axes.to_y(float(found.ranks[index, at]))) for at in range(lengths)
        )
        shapes.append(Line(line, get_series_colour(index), 2.0, dashed=index % 2 == 1))
        line_ends.append(line[-1])
    colours = list(map(get_series_colour, range(len(ORDERS))))
    shapes += make_end_labels(ORDERS, colours, line_ends, TOP, HEIGHT)
    caption = "Mean rank on left-out tables against the length of the portfolio."
    return render_svg(Diagram(f"portfolio-{key}", caption, caption, WIDTH, HEIGHT, tuple(shapes)))


def learn(work: Path, known: dict[str, list[dict[str, Any]]], only: list[str]) -> None:
    """Write the portfolios, and the page about their data.

    Sections of other portfolios are unchanged.
    """
    page = (STUDIES / "portfolio.md").read_text(encoding="utf-8")
    for kind in KINDS:
        key, candidates_of_kind = kind.key, known[kind.key]
        if only and key not in only:
            continue
        tables = [
            load_trials(folder, files(folder, len(candidates_of_kind)))
            for folder in sorted((work / key).glob("*/"))
            if all(path.exists() for path in files(folder, len(candidates_of_kind)))
        ]
        if not tables:
            continue
        scores = evaluate_orders(tables, len(candidates_of_kind), LONGEST)
        length = max(MIN_STARTS, int(np.argmin(scores.ratios[0])) + 1)
        order = order_candidates(tables, len(candidates_of_kind), length)
        portfolio_json = {
            "format": "ensemble-studio-portfolio",
            "version": 1,
            "space": kind.space,
            "least_rows": kind.least_rows,
            "tables": [table.name for table in tables],
            "seed": SEED,
            "made_with": versions(),
            "starts": [
                {
                    "configuration": candidates_of_kind[index],
                    "log_seconds": costs(tables, index),
                    "elastic": needs_less_time(candidates_of_kind[index]),
                }
                for index in order
            ],
        }
        PORTFOLIOS.mkdir(exist_ok=True)
        text = json.dumps(portfolio_json, indent=1) + "\n"
        (PORTFOLIOS / f"{key}.json").write_text(text, encoding="utf-8")
        (STUDIES / "portfolio").mkdir(exist_ok=True)
        (STUDIES / "portfolio" / f"{key}.svg").write_text(picture(key, scores), encoding="utf-8")
        section = _render_section(
            key, tables, scores, [candidates_of_kind[index] for index in order]
        )
        page = _with_section(page, key, section)
        (STUDIES / "portfolio.md").write_text(page, encoding="utf-8")


def _with_section(page: str, key: str, section: str) -> str:
    """Return the page with a portfolio's section replaced, or appended."""
    head, mark, body = page.partition(MARK)
    page_sections = [
        each for each in re.split(r"\n(?=## )", body) if not each.startswith(f"## {key}\n")
    ]
    return (
        head
        + mark
        + "\n".join([*(each.strip("\n") for each in page_sections), section.strip("\n"), ""])
    )


def needs_less_time(configuration: dict[str, Any]) -> bool:
    """Return whether a start's learner can end early."""
    return bool(
        find_part(LEARNERS, configuration["algorithm"], "learner").self_tuned_hyperparameters
    )


def versions(*more: str) -> dict[str, str]:
    """Return the library versions of a portfolio."""
    return {name: version(name) for name in ("numpy", "scikit-learn", "lightgbm", *more)}


def _render_section(
    key: str, tables: list[CandidateTrials], found: OrderScores, starts: list[dict[str, Any]]
) -> str:
    lengths = [each for each in (1, 2, 3, 4, 6, 8, 10, 12, 16) if each <= found.losses.shape[2]]
    lines = [
        f"\n## {key}\n",
        f"{len(tables)} tables: {', '.join(table.name for table in tables)}. "
        f"Versions: {', '.join(f'{a} {b}' for a, b in versions().items())}; seed {SEED}.\n",
        "Loss on the left-out table, divided by that of all candidates (geometric mean), and mean "
        "rank of the three orders:\n",
        "| order | " + " | ".join(map(str, lengths)) + " |",
        "|---|" + "---:|" * len(lengths),
    ]
    for index, name in enumerate(ORDERS):
        cells = [
            f"{found.ratios[index, at - 1]:.3f} ({found.ranks[index, at - 1]:.2f})"
            for at in lengths
        ]
        lines.append(f"| {name} | " + " | ".join(cells) + " |")
    lines += [
        f"\n![mean rank against length](portfolio/{key}.svg)\n",
        "The order that is shipped:\n",
    ]
    lines += [f"{index}. `{json.dumps(each)}`" for index, each in enumerate(starts, start=1)]
    return "\n".join(lines) + "\n"
