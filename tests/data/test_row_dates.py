"""Dates of recording, and dates as properties of rows."""

import datetime
from typing import Any

import numpy as np
import pytest

from studio.arrays import Floats
from studio.data.description import Finding
from studio.data.findings import describe_by_choice
from tests.facts import facts

pytestmark = pytest.mark.slow

N = 200
DAY_ONE = datetime.date(1990, 1, 1)


def list_time_suggestions(raw: Any, target: Any, roles: Any = None, **days: Floats) -> set[str]:
    """Return the columns of dates, given in days, with the suggested role "time"."""
    return set(reasons(raw, target, roles, **days))


def reasons(raw: Any, target: Any, roles: Any = None, **days: Floats) -> dict[str, str]:
    """Return the reasons for the role "time", by column."""
    return {each.columns[0]: each.sentence for each in find(raw, target, roles, **days)}


def find_levels(raw: Any, target: Any, **days: Floats) -> dict[str, str]:
    """Return the levels of the findings about the role "time", by column."""
    return {each.columns[0]: each.level for each in find(raw, target, **days)}


def find(raw: Any, target: Any, roles: Any = None, **days: Floats) -> list[Finding]:
    """Return the findings about the role "time" of dates, given in days."""
    lines = [",".join([*days, "y"])]
    for row in range(len(target)):
        dates = [
            (DAY_ONE + datetime.timedelta(days=int(column[row]))).strftime("%d.%m.%Y")
            for column in days.values()
        ]
        answer = target[row]
        lines.append(",".join([*dates, answer if isinstance(answer, str) else f"{answer:.3f}"]))
    table = raw("\n".join(lines) + "\n", header=True, separator=",", decimal=".")
    described = describe_by_choice(table, {}, roles or {}, "y")
    assert {each.name for each in described if each.kind == "date"} == set(days)
    return [finding for each in described for finding in each.findings if finding.kind == "time"]


@pytest.fixture
def rng() -> np.random.Generator:
    return np.random.default_rng(4)


def test_ordered_dates_are_recording_times(raw: Any, rng: np.random.Generator) -> None:
    days = np.sort(rng.integers(0, 30 * 365, N)).astype(float)
    assert list_time_suggestions(raw, days + rng.normal(size=N), on=days) == {"on"}, (
        "however long or informative"
    )
    late = days[::-1].copy()
    assert list_time_suggestions(raw, late + rng.normal(size=N), on=late) == {"on"}, (
        "the newest first"
    )
    shops = np.concatenate([np.sort(rng.integers(0, 9999, N // 4)) for _ in range(4)]).astype(float)
    assert list_time_suggestions(raw, shops + rng.normal(size=N), on=shops) == {"on"}, (
        "shop after shop"
    )


def test_unordered_date_over_decades_is_feature(raw: Any, rng: np.random.Generator) -> None:
    birth_days, creation_days = (
        rng.integers(0, 60 * 365, N).astype(float),
        rng.integers(0, 700, N).astype(float),
    )
    drifting = creation_days / 700 + rng.normal(0, 0.5, N)
    assert list_time_suggestions(raw, drifting, born=birth_days, made=creation_days) == {"made"}
    creation_days[0] = 60 * 365  # one wrong year extends the range by decades, too
    assert list_time_suggestions(raw, drifting, made=creation_days) == {"made"}
    old = birth_days / 6000 + rng.normal(0, 5, N)
    assert list_time_suggestions(raw, old, born=birth_days) == set()


def test_unsupported_date_is_not_suggested_as_time(raw: Any, rng: np.random.Generator) -> None:
    n_suggestions = 0
    for _ in range(40):
        joined = rng.integers(0, 1500, N).astype(float)
        n_suggestions += bool(list_time_suggestions(raw, rng.normal(size=N), joined=joined))
        n_suggestions += bool(
            list_time_suggestions(raw, [*rng.choice(["left", "stays", "asks"], N)], joined=joined)
        )
    assert n_suggestions == 0


def test_time_column_suggestion_has_reason(raw: Any, rng: np.random.Generator) -> None:
    days = np.floor(1500 * rng.beta(1, 3, N))  # few at the end, so no question about later rows
    classes = np.where(rng.random(N) < 0.2 + 0.7 * days / 1500, "late", "early")
    (of_classes,) = reasons(raw, [*classes.tolist()], on=days).values()
    (of_numbers,) = reasons(raw, days / 1500 + rng.normal(0, 0.4, N), on=days).values()
    (of_order,) = reasons(raw, rng.normal(size=N), on=np.sort(days)).values()
    assert facts(of_classes) == facts(of_numbers) == {"name": "'y'"}
    assert "order" in of_order and facts(of_order) == {}


def test_unordered_date_related_to_target_is_feature(raw: Any, rng: np.random.Generator) -> None:
    registered = rng.integers(0, 12 * 365, N).astype(float)
    price = 2.0 * registered + rng.normal(0, 3000, N)
    sold = rng.integers(0, 365, N).astype(float)
    assert list_time_suggestions(raw, price, registered=registered, sold=sold) == set()
    assert list_time_suggestions(raw, price + 5.0 * sold, registered=registered, sold=sold) == set()
    drifting = 2.0 * registered + rng.normal(0, 7000, N)
    assert list_time_suggestions(raw, drifting, on=registered) == {"on"}, (
        "a slow drift is what time is for"
    )


def test_few_rows_do_not_determine_date_role(raw: Any, rng: np.random.Generator) -> None:
    birth_days = rng.integers(0, 60 * 365, 15).astype(float)
    assert list_time_suggestions(raw, rng.normal(size=15), born=birth_days) == set()


def test_second_time_column_is_not_suggested(raw: Any, rng: np.random.Generator) -> None:
    booking_days, there = (
        rng.integers(0, 700, N).astype(float),
        rng.integers(0, 700, N).astype(float),
    )
    target = (booking_days + there) / 350 + rng.normal(0, 0.8, N)
    assert list_time_suggestions(raw, target, booked=booking_days, there=there) == {
        "booked",
        "there",
    }
    assert (
        list_time_suggestions(raw, target, {"booked": "time"}, booked=booking_days, there=there)
        == set()
    )


def find_questions(raw: Any, target: Any, **days: Floats) -> set[str]:
    """Return the columns with a question about later rows."""
    return {name for name, level in find_levels(raw, target, **days).items() if level == "decide"}


def test_ongoing_record_raises_question(raw: Any) -> None:
    rng = np.random.default_rng(5)
    n = 900
    seen = rng.integers(0, 270, n).astype(float)
    booked = seen - np.minimum(rng.gamma(1.6, 11, n).astype(int) + 1, 120)
    answers = [*rng.choice(["yes", "no"], n)]
    assert find_questions(raw, answers, booked=booked, seen=seen) == {"seen"}, "of two, the latest"
    assert find_questions(raw, answers, booked=booked + 500) == {"booked"}
    for name in ("birth_date", "dateOfBirth", "DOB", "Geburtsdatum", "né le", "geb."):
        assert find_questions(raw, answers, **{name: seen}) == set()
    for name in ("gebucht", "sold on", "newborn_visit"):
        assert find_questions(raw, answers, **{name: seen}) == {name}


def test_row_order_does_not_change_question(raw: Any) -> None:
    rng = np.random.default_rng(5)
    answers = [*rng.choice(["yes", "no"], 900)]
    days = rng.integers(0, 270, 900).astype(float)
    unordered, ordered = (
        find(raw, answers, on=each)[0] for each in (days, np.sort(days, kind="stable"))
    )
    assert (ordered.level, ordered.sentence) == (unordered.level, unordered.sentence)
    last = DAY_ONE + datetime.timedelta(days=int(days.max()))
    assert facts(ordered.sentence) == {"end": f"{last:%d.%m.%Y}"}, "as the table writes dates"


def test_dates_of_subjects_raise_no_question(raw: Any) -> None:
    rng = np.random.default_rng(6)
    n = 900
    answers = [*rng.choice(["yes", "no"], n)]
    registered = rng.integers(0, 12 * 365, n).astype(float)
    assert find_questions(raw, answers, registered=registered) == set(), "over many years"
    ending = 700 * rng.beta(1, 4, n)
    assert find_questions(raw, answers, ending=ending) == set(), "hardly any at the end"
    latest = 700 * rng.beta(4, 1, n)
    assert find_questions(raw, answers, latest=latest) == set(), "of the last order of each"
    waves = np.where(rng.random(n) < 0.5, 0, 600) + rng.integers(0, 60, n)
    assert find_questions(raw, answers, waves=waves.astype(float)) == set(), "two surveys"
    few = rng.integers(0, 30, 90).astype(float)
    assert find_questions(raw, answers[:90], few=few) == set()


def test_rows_without_target_do_not_affect_time_role(raw: Any, rng: np.random.Generator) -> None:
    registered = rng.integers(0, 12 * 365, N).astype(float)
    price = 2.0 * registered + rng.normal(0, 3000, N)
    price[rng.random(N) < 0.2] = np.nan
    assert list_time_suggestions(raw, price, registered=registered) == set()
