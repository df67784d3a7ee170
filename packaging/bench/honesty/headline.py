"""The hits of the headline of two classes: false claims, power, and hits in new rows."""

from collections.abc import Iterator

import numpy as np
from scipy.special import expit

from bench.honesty.tables import table
from studio.arrays import Flags, Floats
from studio.runs.headline import rank_rows
from studio.seeds import derive

SIZES = (100, 300, 1000)
SHARES = (("5 %", -3.0), ("20 %", -1.5))
SIGNALS = (("none", 0.0), ("weak", 0.3), ("middling", 0.6), ("strong", 1.2))
"""Slope of a row's logit over its score, which has standard deviation 1."""
LEAST = 5
"""Rows of the class required for a sentence."""
REPEATS = 400

WORDS = """\
"Of the 50 rows ranked highest out of 600, 28 are “Yes”; by chance, 6"
(`studio/runs/headline.py`), of
tables whose scores say more or less about the class. *Clear*: percent of {repeats} tables in which
the hits are more than chance explains and the ranking as a whole is, too (without a signal at most
2.5 are allowed; the standard error is 0.8 there); in brackets, the ranking as a whole. *More*: hits
that the sentence names beyond those among as many of as many new rows of the same model, in percent
of the latter, with its standard error; both tables have at least {least} rows of the class.
"""


def count_cells(n_rows: int, middle: float, signal: float, repeats: int) -> tuple[str, str]:
    """Return the cells *clear* and *more* of tables with (n_rows,) rows."""
    rng = np.random.default_rng(derive(0, "headline", f"{n_rows} {middle} {signal}"))
    clear, ranks, hits, fresh = [], [], [], []
    for _ in range(repeats):
        (seen, scores), (new, others) = (_rows(n_rows, middle, signal, rng) for _ in range(2))
        ranked = rank_rows(seen, scores, "yes")
        if ranked is None or new.sum() < LEAST:  # the headline has no such sentence in these cases
            continue
        clear.append(ranked.is_beyond_chance(n_rows))
        ranks.append(ranked.beyond_chance)
        hits.append(ranked.hits)
        fresh.append(new[np.argsort(-others)[: ranked.top]].sum())
    apart, unit = np.subtract(hits, fresh), np.mean(fresh) / 100
    more, error = apart.mean() / unit, apart.std() / np.sqrt(len(apart)) / unit
    return f"{100 * np.mean(clear):.1f} ({100 * np.mean(ranks):.1f})", f"{more:.1f} ± {error:.1f}"


def _rows(
    n_rows: int, middle: float, signal: float, rng: np.random.Generator
) -> tuple[Flags, Floats]:
    """Return whether rows are of the class, and their scores, shape (n_rows,) each."""
    scores = rng.normal(size=n_rows)
    return rng.random(n_rows) < expit(middle + signal * scores), scores


def section(repeats: int) -> Iterator[str]:
    """Yield the parts of the section, with table rows per class frequency."""
    yield WORDS.format(repeats=repeats, least=LEAST)
    heads = ["class", "signal"]
    for n_rows in SIZES:
        heads += [f"{n_rows:,} rows: clear", "more"]
    rows = []
    for share, middle in SHARES:
        for name, signal in SIGNALS:
            cells = [count_cells(n_rows, middle, signal, repeats) for n_rows in SIZES]
            rows.append([share, name, *(text for cell in cells for text in cell)])
    yield table(heads, rows)
