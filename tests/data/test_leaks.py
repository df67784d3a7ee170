"""Leaking columns are found; legitimate ones, however predictive, are not."""

from collections.abc import Sequence

import numpy as np
import pytest

from studio.data.columns import describe_all_columns
from studio.data.distinct import DistinctCells
from studio.data.leaks import find_leak
from studio.data.reading import read
from studio.data.value_codes import TargetCells, ValueCodes
from tests.facts import facts

N = 240


def encode_values(values: Sequence[object], kind: str | None = None) -> ValueCodes:
    cells = np.array(["" if each is None else str(each) for each in values], dtype=object)
    numbers = all(each is None or isinstance(each, int | float) for each in values)
    return ValueCodes(
        DistinctCells.from_cells(cells), kind or ("number" if numbers else "category")
    )  # type: ignore[arg-type]


def find_leaks(given: Sequence[object], wanted: Sequence[object], n_columns: int = 10) -> bool:
    leak = find_leak(encode_values(given), TargetCells("y", encode_values(wanted), n_columns))
    assert leak is None or (leak.kind, leak.level) == ("leak", "stop")
    return leak is not None


@pytest.fixture
def rng() -> np.random.Generator:
    return np.random.default_rng(0)


def make_churn(rng: np.random.Generator, n: int = N, share: float = 0.3) -> list[str]:
    return ["yes" if each else "no" for each in rng.random(n) < share]


def make_event_dates(y: Sequence[str], gone: str = "yes") -> list[object]:
    return [f"2024-0{1 + i % 9}-1{i % 10}" if each == gone else None for i, each in enumerate(y)]


def test_reformatted_copy_of_target_leaks(rng):
    y = [float(each) for each in rng.normal(size=N).round(2)]
    leak = find_leak(
        encode_values([f"{each:.3f}" for each in y], "number"),
        TargetCells("y", encode_values(y), 3),
    )
    assert leak is not None
    assert leak.remedies == (), "it is left out anyway"
    labels = make_churn(rng)
    assert find_leaks(labels, labels)


def test_few_empty_cells_do_not_hide_leak(rng):
    y = make_churn(rng)
    values = [None if i % 20 == 0 else each[0] for i, each in enumerate(y)]
    assert find_leaks(values, y)
    assert not find_leaks([None if i % 5 == 0 else each for i, each in enumerate(values)], y)
    others = ["ab"[i % 2] if i % 10 == 1 else each for i, each in enumerate(values)]
    assert not find_leaks(others, y)


def test_missingness_of_column_leaks_class(rng):
    y = make_churn(rng)
    assert find_leaks(make_event_dates(y), y)
    assert find_leaks(make_event_dates(y, "no"), y), "empty where it is yes"
    three = [("active", "paused", "closed")[int(each)] for each in rng.integers(0, 3, N)]
    assert find_leaks(make_event_dates(three, "closed"), three)
    assert find_leaks([None if each == "active" else "2024" for each in three], three)
    assert find_leaks([0 if each == "active" else i for i, each in enumerate(three)], three)
    late = [0 if each != "closed" else i for i, each in enumerate(three)]
    assert find_leaks(late, three), "all but the zeros"


def test_missingness_nearly_leaks_rare_class(rng):
    y = make_churn(rng, 2000, 0.03)
    dates = make_event_dates(y)
    mistakes = [y.index("no"), len(y) - 1 - y[::-1].index("no"), y.index("yes")]
    for i in mistakes:
        dates[i] = None if dates[i] else "2024-01-01"
    assert find_leaks(dates, y)


def test_unreadable_dates_count_as_empty(rng):
    y = make_churn(rng)
    zeros = ["0000-00-00" if i % 2 else None for i in range(N)]
    ends = encode_values(
        [each or zero for each, zero in zip(make_event_dates(y), zeros, strict=True)], "date"
    )
    leak = find_leak(ends, TargetCells("y", encode_values(y), 10))
    assert leak is not None
    assert (leak.kind, leak.level) == ("leak", "stop")


def test_column_partly_filled_in_one_class_leaks(rng):
    y = make_churn(rng)
    dates = [each if rng.random() < 0.7 else None for each in make_event_dates(y)]
    assert find_leaks(dates, y)
    assert not find_leaks([each if rng.random() < 0.2 else None for each in make_event_dates(y)], y)
    small = make_churn(rng, 80, 0.4)
    assert find_leaks(
        [each if i % 9 else None for i, each in enumerate(make_event_dates(small))], small
    )


def test_default_value_leaks_class(rng):
    y = make_churn(rng)
    refund = [round(float(rng.exponential()) + 0.01, 2) if each == "yes" else 0 for each in y]
    assert find_leaks(refund, y)
    days = [int(rng.integers(0, 400)) if each == "yes" else -1 for each in y]
    assert find_leaks(days, y)


def test_non_default_values_of_one_class_leak(rng):
    y = np.array(make_churn(rng, 1400, 0.1))
    pays = (y == "yes") & (rng.random(1400) < 0.85)
    fee = np.where(pays, 10 + rng.integers(1, 400, 1400), 0)
    assert find_leaks(fee.tolist(), y.tolist())
    assert not find_leaks(np.where(rng.random(1400) < 0.02, 15, fee).tolist(), y.tolist()), (
        "all may pay"
    )
    few = np.where(rng.random(1400) < 0.4, fee, 0)
    assert not find_leaks(few.tolist(), y.tolist()), "a third of them"
    usual = np.where(fee > 0, fee, rng.integers(1, 400, 1400))
    assert not find_leaks(usual.tolist(), y.tolist()), "without a usual value"


def test_missingness_leaks_non_zero_target(rng):
    amount = [0 if rng.random() < 0.6 else round(1 + float(rng.exponential()), 2) for _ in range(N)]
    assert find_leaks(["2024-01-01" if each else None for each in amount], amount)
    assert not find_leaks(["2024-01-01" if rng.random() < 0.4 else None for _ in amount], amount)


def test_value_determining_class_leaks(rng):
    y = make_churn(rng)
    assert find_leaks([{"yes": "Y", "no": "N"}[each] for each in y], y)
    codes = [("c1", "c2", "c3")[int(rng.integers(3))] if each == "yes" else "c9" for each in y]
    assert find_leaks(codes, y)
    assert find_leaks([None if each == "yes" else "x" for each in y], y)


def test_value_almost_determining_class_leaks(rng):
    y = make_churn(rng, 2000, 0.05)
    values = ["Y" if each == "yes" else "N" for each in y]
    values[y.index("no")] = "Y"
    assert find_leaks(values, y)
    indicator = ["Y" if rng.random() < (0.6 if each == "yes" else 0.01) else "N" for each in y]
    assert not find_leaks(indicator, y)


@pytest.mark.parametrize(("n", "level"), [(80, "decide"), (400, "stop"), (40, None)])
def test_leak_with_one_exception_in_small_table_raises_question(n, level):
    y = ["yes" if i % 3 else "no" for i in range(n)]
    values = [("A" if i % 2 else "B") if each == "yes" else "C" for i, each in enumerate(y)]
    values[0] = "A"
    leak = find_leak(encode_values(values), TargetCells("y", encode_values(y), 4))
    assert level == (leak and leak.level)


def test_noisy_leak_of_rare_class_raises_question(rng):
    y = ["yes" if i % 18 == 0 else "no" for i in range(2400)]
    flipped = rng.random(len(y)) < 0.01
    values = [
        ("no" if each == "yes" else "yes") if f else each
        for each, f in zip(y, flipped, strict=True)
    ]
    leak = find_leak(encode_values(values), TargetCells("y", encode_values(y), 10))
    assert leak is not None and leak.level == "decide"
    pairs = list(zip(values, y, strict=True))
    counts = {pairs.count(("yes", "yes")), y.count("yes"), pairs.count(("yes", "no"))}
    assert set(map(str, counts)) <= set(leak.fact.replace(",", "").split())
    filled = ["2024" if each == "yes" else None for each in values]
    empty = find_leak(encode_values(filled), TargetCells("y", encode_values(y), 10))
    assert empty is not None and empty.level == "decide"


@pytest.mark.parametrize(
    ("empty", "hits", "others", "is_asked"),
    [("0", 0.88, 0.02, True), ("", 0.88, 0.04, True), ("0", 0.88, 0.05, False),
     ("", 0.7, 0.02, False)],
)  # fmt: skip
def test_values_typical_of_rare_class_raise_question(rng, empty, hits, others, is_asked):
    y = ["yes" if i % 10 == 0 else "no" for i in range(4000)]
    values = [
        f"{rng.random():.4f}" if i % 1000 < 1000 * (hits if each == "yes" else others) else empty
        for i, each in enumerate(y)
    ]
    leak = find_leak(encode_values(values), TargetCells("y", encode_values(y), 16))
    assert (leak is not None and leak.level == "decide") == is_asked


@pytest.mark.slow
@pytest.mark.parametrize("share", [0.02, 0.1, 0.5])
def test_strong_legitimate_flag_raises_no_question(rng, share):
    # Sensitivity and specificity of 95 %: an area under the ROC curve of 0.95.
    for _ in range(100):
        y = make_churn(rng, 1500, share)
        values = [each if rng.random() < 0.95 else ("no" if each == "yes" else "yes") for each in y]
        assert find_leak(encode_values(values), TargetCells("y", encode_values(y), 10)) is None


def test_single_rows_of_rare_class_are_not_reported_as_leak(rng):
    # Each rare row has a distinct value, as is likely by chance if most values are rare.
    y = ["no"] * (N - 3) + ["yes"] * 3
    given = ["common"] * (N - 40) + [f"v{i}" for i in range(40)]
    assert not find_leaks(given, y)


def test_monotonic_copy_of_target_leaks(rng):
    y = [float(each) for each in rng.lognormal(3, 1, N).round(3)]
    assert find_leaks([2.54 * each + 1 for each in y], y)
    assert find_leaks([float(np.log(each)) for each in y], y)
    assert find_leaks([-(each**3) for each in y], y)
    assert find_leaks([int(each) for each in y], [float(int(each)) * 3 + 1 for each in y])
    near = [each * float(rng.normal(1, 0.05)) for each in y]
    assert not find_leaks(near, y), "a good estimate is none"


def test_trend_over_time_is_not_reported_as_leak(rng):
    years = list(range(1950, 1950 + 60))
    population = np.cumsum(rng.exponential(size=60)).round(3)
    assert not find_leaks(years, [float(each) for each in population])


@pytest.mark.parametrize("n", [80, 5000])
def test_two_growing_quantities_are_not_reported_as_leak(rng, n):
    readings = [np.cumsum(rng.integers(1, each, n)).astype(float) for each in (9, 40)]
    assert not find_leaks(*[each.tolist() for each in readings])
    falling = (-readings[0]).tolist()
    assert not find_leaks(falling, readings[1].tolist())
    assert find_leaks(np.log(readings[1]).tolist(), readings[1].tolist()), "one computed from other"
    rounded = (readings[1] * 2.2046).round(1)
    assert find_leaks(rounded.tolist(), readings[1].tolist())
    order = rng.permutation(n)
    assert find_leaks(rounded[order].tolist(), readings[1][order].tolist())


def test_threshold_on_column_leaks_class(rng):
    score = [int(each) for each in rng.integers(0, 101, 400)]
    assert find_leaks(score, ["passed" if each >= 50 else "failed" for each in score])
    grades = ["A" if each > 80 else "B" if each > 55 else "C" for each in score]
    assert find_leaks(score, grades)
    noisy = ["passed" if each + rng.normal(0, 3) >= 50 else "failed" for each in score]
    assert not find_leaks(score, noisy)


def test_widely_separated_classes_raise_question(rng):
    # The petals of Iris setosa and versicolor: for flowers this is natural.
    y = ["setosa", "versicolor"] * 60
    petal = [rng.normal(1.5, 0.2) if each == "setosa" else rng.normal(4.3, 0.5) for each in y]
    petal = [round(float(each), 2) for each in petal]
    leak = find_leak(encode_values(petal), TargetCells("y", encode_values(y), 4))
    assert leak is not None
    assert (leak.level, len(leak.remedies)) == ("decide", 2)
    three = [*y, *["virginica"] * 60]
    assert not find_leaks([*petal, *(9.0 + i % 7 for i in range(60))], three), (
        "more than two classes"
    )
    petal[0], petal[1] = petal[1], petal[0]
    assert not find_leaks(petal, y), "an exception"


def test_time_until_event_that_is_empty_without_event_raises_question(rng):
    days = [int(each) for each in rng.integers(1, 365, 300)]
    y = ["yes" if each <= 30 else "no" for each in days]
    cells = encode_values([*days, *[None] * 400])
    leak = find_leak(cells, TargetCells("y", encode_values([*y, *["no"] * 400]), 4))
    assert leak is not None and leak.level == "decide"
    others = [*y, *["no", "yes"] * 200]
    assert find_leak(cells, TargetCells("y", encode_values(others), 4)) is None, "of both classes"


def test_times_sorted_by_class_are_not_reported_as_leak(rng):
    moments = np.cumsum(rng.integers(1, 50, N)).tolist()
    assert not find_leaks(moments, ["a"] * (N // 2) + ["b"] * (N // 2))


def test_group_identifier_with_constant_target_is_not_leak(rng):
    owner = [f"P-{i // 8:03d}" for i in range(N)]
    sick = rng.random(N) < 0.5
    y = ["sick" if sick[i // 8] else "well" for i in range(N)]
    answer = TargetCells("y", encode_values(y), 4)
    assert find_leak(encode_values(owner), answer) is not None
    assert find_leak(encode_values(owner), answer, is_owner=True) is None


def test_leak_check_ignores_rows_without_target(rng):
    y: list[object] = [*make_churn(rng)]
    values: list[object] = ["Y" if each == "yes" else "N" for each in y]
    y[:20] = [None] * 20
    values[:20] = ["Y", "N"] * 10
    assert find_leaks(values, y)


def test_few_rows_raise_no_leak_finding():
    assert not find_leaks(["Y", "N"] * 9, ["yes", "no"] * 9)


def make_noise(rng: np.random.Generator, n: int, y: Sequence[str]) -> list[Sequence[object]]:
    """Return columns without a leak, of increasing relation to the target."""
    k = int(rng.integers(2, max(3, n // 5)))
    shares = rng.dirichlet(np.ones(k) * rng.choice([0.1, 1, 10]))
    empty, zero = rng.choice([0.02, 0.3, 0.9, 0.98], 2)
    is_first = np.array([each == min(y) for each in y])
    return [
        rng.normal(size=n).round(int(rng.integers(1, 5))).tolist(),
        rng.integers(0, k, n).tolist(),
        [f"c{each}" for each in rng.choice(k, n, p=shares)],
        [None if each else f"d{i}" for i, each in enumerate(rng.random(n) < empty)],
        [0.0 if each else float(i % 97) / 7 for i, each in enumerate(rng.random(n) < zero)],
        (3 * is_first + rng.normal(size=n)).round(2).tolist(),
        [None if each else "x" for each in rng.random(n) < np.where(is_first, 0.8, 0.1)],
    ]


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(6))
def test_random_and_strong_columns_are_not_reported_as_leaks(seed):
    rng = np.random.default_rng(seed)
    for _ in range(12):
        n = int(rng.choice([60, 80, 200, 500, 1500]))
        share = float(rng.choice([0.02, 0.1, 0.5]))
        y = make_churn(rng, n, share)
        y[:5] = ["yes"] * 5
        if rng.random() < 0.3:
            y = [f"{each}{int(rng.integers(3))}" for each in y]
        for column in make_noise(rng, n, y):
            assert not find_leaks(column, y), (n, share)


@pytest.mark.slow
def test_real_tables_have_no_stop_findings(shared_data):
    stopped = {
        path.name: [
            each.name for each in describe_all_columns(read(path)) if "stop" in _levels(each)
        ]
        for path in sorted(shared_data.glob("*.csv.gz"))
    }
    assert len(stopped) > 50
    assert {name: columns for name, columns in stopped.items() if columns} == {}


def _levels(column) -> set[str]:
    return {each.level for each in column.findings}


FORMULAS = {
    "+": lambda a, b: a + b,
    "−": lambda a, b: a - b,
    "×": lambda a, b: a * b,
    "÷": lambda a, b: a / b,
}


@pytest.mark.parametrize("sign", FORMULAS)
def test_target_computed_from_two_columns_leaks(rng, raw, sign):
    a, b, other = rng.integers(1, 500, (3, N)) / 10
    total = FORMULAS[sign](a, b).round(3)
    total[::120] += 1  # a few corrections
    lines = (f"{x},{y},{z},{t}" for x, y, z, t in zip(a, b, other, total.tolist(), strict=True))
    columns = describe_all_columns(raw("a,b,other,total\n" + "\n".join(lines) + "\n"), "total")
    leaks = {c.name: f for c in columns for f in c.findings if f.kind == "leak"}
    assert set(leaks) == {"a", "b"}
    assert all(each.level == "stop" for each in leaks.values())
    leak_facts = facts(leaks["a"].fact)
    assert (leak_facts["one"], leak_facts["sign"], leak_facts["two"]) == ("'a'", sign, "'b'")


def test_scaled_formula_of_two_columns_leaks(rng, raw):
    a, b = rng.integers(100, 500, (2, N))
    days = np.datetime64("2023-01-01") + a
    stays = b - 99
    lines = zip(a, b, days, days + stays, stays, (100 * a / b).round(), (a + b) / 2, strict=True)
    table = raw(
        "a,b,in,out,stay,percent,mean\n"
        + "\n".join(",".join(map(str, row)) for row in lines)
        + "\n"
    )
    for target, formula in (
        ("percent", ("'a'", "÷", "'b'", 100)),
        ("mean", ("'a'", "+", "'b'", 0.5)),
        ("stay", ("'out'", "−", "'in'", 1)),
    ):
        leaks = [
            f for c in describe_all_columns(table, target) for f in c.findings if f.kind == "leak"
        ]
        leak_facts = [facts(each.fact) for each in leaks]
        formulas = [
            (*map(each.get, ("one", "sign", "two")), each.get("factor", 1)) for each in leak_facts
        ]
        assert formula in formulas, target


@pytest.mark.parametrize(("n_terms", "n_others"), [(3, 0), (3, 40), (5, 3), (9, 9)])
def test_total_of_several_columns_leaks(rng, raw, n_terms, n_others):
    sizes = rng.uniform(1, 50, n_terms + n_others)
    x = (sizes[:, np.newaxis] * rng.lognormal(0, 1, (len(sizes), N))).round(2)
    signs = np.where(np.arange(n_terms) % 3 == 1, -1, 1)
    total = (signs @ x[:n_terms]).round(3)
    total[::120] += 1  # a few corrections
    names = [f"c{i}" for i in range(len(x))]
    rows = (",".join(map(str, (*row, t))) for row, t in zip(x.T, total, strict=True))
    columns = describe_all_columns(
        raw(",".join((*names, "t")) + "\n" + "\n".join(rows) + "\n"), "t"
    )
    leaks = {c.name: f for c in columns for f in c.findings if f.kind == "leak"}
    assert list(leaks) == names[:n_terms]
    assert all(each.level == "stop" for each in leaks.values())
    assert facts(leaks["c0"].fact)["total"].startswith("'c0' − 'c1' + 'c2'")


def test_approximate_sums_and_flags_are_not_reported_as_leaks(rng, raw):
    a, b = rng.integers(0, 90, (2, N))
    flags, ranks = rng.integers(0, 2, N), rng.integers(0, 3, N)
    noisy = a + b + rng.normal(0, 2, N).round()
    linear = (0.4 * a + 1.7 * b + 0.9 * ranks).round(2)
    rows = zip(a, b, flags, 1 - flags, ranks, noisy, linear, strict=True)
    table = raw(
        "a,b,c,d,rank,noisy,linear\n" + "\n".join(",".join(map(str, r)) for r in rows) + "\n"
    )
    for target in ("noisy", "rank", "linear"):
        assert not [
            f for c in describe_all_columns(table, target) for f in c.findings if f.kind == "leak"
        ]
