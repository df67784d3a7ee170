"""Findings of a table as one list, and the effects of the user's choices."""

import dataclasses
from typing import get_args

import pytest

from studio.data.column import Role
from studio.data.description import LEVELS, Finding, FindingKind
from studio.data.findings import (
    collect_table_findings,
    describe_by_choice,
    find_overruled_leaks,
    format_finding,
    format_with_level,
    from_json,
    get_findings_at_start,
    remove_followed_advice,
    sort_by_level,
    to_json,
)
from studio.data.table import Table
from studio.phrases import phrase
from tests.facts import facts

N = 60


@pytest.fixture
def leaking(raw):
    """Return a table with a leak, a row number, owners and dates."""
    lines = "".join(
        f"{N - i},{'YN'[i % 3 == 0]},C-{i // 2:04d},2024-01-{1 + i % 28:02d},{i * 7 % 31},"
        f"{'yes' if i % 3 else 'no'}\n"
        for i in range(N)
    )
    return raw("row,code,customer,on,a,y\n" + lines, header=True)


def list_finding_levels(raw, **roles: Role) -> dict[tuple[str, ...], set[tuple[str, str]]]:
    findings_by_columns: dict[tuple[str, ...], set[tuple[str, str]]] = {}
    for each in collect_table_findings(raw, describe_by_choice(raw, {}, roles)):
        findings_by_columns.setdefault(each.columns, set()).add((each.kind, each.level))
    return findings_by_columns


def test_findings_list_columns_and_are_sorted_by_level(leaking):
    findings = collect_table_findings(leaking, describe_by_choice(leaking, {}, {}))
    levels = [LEVELS.index(each.level) for each in findings]
    assert levels == sorted(levels)
    assert {each.kind for each in findings} <= set(get_args(FindingKind))
    findings_by_columns = list_finding_levels(leaking)
    assert findings_by_columns[("row",)] == {("identifier", "done")}
    assert findings_by_columns[("code",)] == {("leak", "stop")}
    assert ("group", "idea") in findings_by_columns[("customer",)]
    assert ("time", "idea") in findings_by_columns[("on",)]


def test_time_is_not_offered_beside_group(leaking):
    by_columns = list_finding_levels(leaking, customer="group")
    assert "time" not in {kind for levels in by_columns.values() for kind, _ in levels}


def test_leaks_precede_other_findings_of_their_level():
    later = Finding("time", "decide", "t", (), ("a",))
    leak = Finding("leak", "decide", "l", (), ("b",))
    stop = Finding("leak", "stop", "s", (), ("c",))
    assert sort_by_level([later, leak, stop]) == (stop, leak, later)


def test_column_with_stop_finding_gets_no_suggestions(raw):
    lines = "".join(
        f"{i * 7 % 31},{'2024-03-14' if i % 9 == 0 else ''},{'yes' if i % 9 == 0 else 'no'}\n"
        for i in range(N)
    )
    findings_by_columns = list_finding_levels(raw("a,closed,y\n" + lines, header=True))
    assert findings_by_columns[("closed",)] == {("leak", "stop")}


def test_excluded_column_resolves_its_findings(leaking):
    assert list_finding_levels(leaking, code="ignore")[("code",)] == {("leak", "done")}
    proposed_sentence, settled = (
        next(
            each.sentence
            for each in collect_table_findings(leaking, describe_by_choice(leaking, {}, roles))
            if each.columns == ("code",)
        )
        for roles in ({}, {"code": "ignore"})
    )
    by_user = "Left out by you: known only afterwards. "
    assert settled.startswith(by_user)
    assert proposed_sentence.startswith(settled.removeprefix(by_user)), (
        "without the advice that was followed"
    )
    assert len(proposed_sentence) > len(settled) - len(by_user)


@pytest.mark.parametrize(
    ("metric", "is_reported"),
    [("balanced-error", False), ("log-loss", False), ("error", True), (None, True)],
)
def test_metric_suggestion_is_removed_once_followed(metric: str | None, is_reported: bool) -> None:
    findings = (Finding("rare-classes", "idea", "few"), Finding("imbalance", "idea", "balanced"))
    assert remove_followed_advice(findings, metric) == (findings if is_reported else findings[:1])


def test_manually_included_column_keeps_suggestion(leaking):
    described = describe_by_choice(leaking, {}, {"row": "feature"})
    (finding,) = described[0].findings
    assert (described[0].role, finding.level) == ("feature", "idea")
    assert [each.value for each in finding.remedies] == ["ignore"]


def test_manually_included_copy_of_target_keeps_stop_finding(raw):
    table = raw(
        "a,x,y\n" + "".join(f"{i * 7 % 31},{i % 3},{i % 3}\n" for i in range(N)), header=True
    )
    proposed = describe_by_choice(table, {}, {})[1]
    included_column = describe_by_choice(table, {}, {"x": "feature"})[1]
    assert (proposed.role, included_column.role) == ("ignore", "feature")
    assert [each.level for each in (*proposed.findings, *included_column.findings)] == [
        "stop",
        "stop",
    ]
    assert [each.value for each in included_column.findings[0].remedies] == ["ignore"]


def test_row_role_resolves_its_finding(leaking):
    findings_by_columns = list_finding_levels(leaking, customer="group")
    assert ("customer",) not in findings_by_columns
    assert ("on",) not in list_finding_levels(leaking, on="time")


def test_file_repairs_are_findings_without_column(raw):
    assert ("reading", "done") in list_finding_levels(
        raw("a,b,y\n1,2,p\n1,q\n3,4,p\n", header=True)
    )[()]


def test_missing_word_is_reported_once_for_used_columns(raw):
    rows = [
        f"{'?' if i == 3 else i * i},{('n/a', '?', 'u', 'v')[i % 4]},A{i},p\n" for i in range(40)
    ]
    text = "a,b,id,y\n" + "".join(rows) + "1,n/a,?,q\n"
    table = raw(text, header=True)
    facts_by_columns = {
        each.columns: facts(each.sentence)
        for each in collect_table_findings(table, describe_by_choice(table, {}, {}))
        if each.kind == "missing-words"
    }
    assert facts_by_columns == {
        ("a", "b"): {"word": "'?'", "count": 2, "listed": "'a', 'b'"},
        ("b",): {"word": "'n/a'"},
    }


def test_missing_word_used_as_label_is_reported(raw):
    rows = "".join(
        f"{'unknown' if i % 9 == 0 else i},{'unknown' if i % 7 == 0 else 'ab'[i % 2]},{i % 2}\n"
        for i in range(90)
    )
    table = raw("age,region,target\n" + rows, header=True)
    findings = collect_table_findings(table, describe_by_choice(table, {}, {}))
    (sentence,) = [each.sentence for each in findings if each.kind == "missing-words"]
    assert "'unknown'" in sentence and "('region')" in sentence and "label" in sentence


@pytest.mark.parametrize("level", ["stop", "decide"])
def test_leak_of_included_column_is_overruled(level):
    leak = Finding("leak", level, "s", (), ("late",))
    others = (
        Finding("leak", "done", "s", (), ("b",)),
        Finding("duplicates", "decide", "s"),
        Finding("alike-labels", "decide", "s", (), ("b",)),
    )
    assert find_overruled_leaks((leak, *others), {"late", "b"}) == (leak,)
    assert find_overruled_leaks((leak, *others), {"b"}) == ()


def test_table_stores_findings(leaking):
    table = Table.from_raw(leaking, roles={"customer": "group"})
    assert ("leak", "stop") in {(each.kind, each.level) for each in table.findings}
    restored = Table.from_parts(_through_json(table.to_description()), table.to_arrays())
    assert restored.findings == table.findings
    old = {name: each for name, each in table.to_description().items() if name != "findings"}
    assert Table.from_parts(old, table.to_arrays()).findings == ()


def _through_json(value):
    import json

    from studio.phrases import phrase_from_json, phrase_to_json

    return json.loads(json.dumps(phrase_to_json(value)), object_hook=phrase_from_json)


def test_invalid_findings_are_skipped():
    good = dataclasses.asdict(Finding("leak", "stop", "s", (), ("a",)))
    for bad in (
        {},
        "x",
        {**good, "level": "now"},
        {**good, "kind": "news"},
        {**good, "columns": 1},
    ):
        assert from_json([bad, good]) == (Finding("leak", "stop", "s", (), ("a",)),)
    assert from_json(None) == from_json({}) == ()


def test_run_reports_urgent_findings():
    many = [Finding("alike-labels", "decide", phrase("Alike."), (), (f"c{i}",)) for i in range(30)]
    messages = get_findings_at_start([*many, Finding("time", "idea", "never")])
    assert len(messages) == 21
    assert messages[-1].values["count"] == 10
    assert get_findings_at_start(many[:21])[-1].startswith("1 more finding:")
    assert get_findings_at_start(many[:20]) == [format_with_level(each) for each in many[:20]]


@pytest.mark.parametrize("level", ["stop", "decide"])
def test_run_reports_overruled_columns(level):
    stops = [Finding("leak", level, phrase("It tells."), (), (name,)) for name in "ab"]
    stopped, overruled_message = get_findings_at_start(stops, {"b"})
    assert stopped == format_with_level(stops[0])
    assert facts(overruled_message) == {"column": "'b'"}
    assert overruled_message != format_with_level(stops[1]) and overruled_message.endswith(
        "It tells."
    )


def test_finding_about_one_column_contains_its_name():
    one = Finding("leak", "stop", phrase("It tells."), (), ("late",))
    assert format_finding(one) == "'late': It tells."
    assert format_with_level(one) == f"Stop: {format_finding(one)}"
    all_of_them = Finding("duplicates", "decide", phrase("Rows repeat."), (), ("a", "b"))
    assert format_finding(all_of_them) == "Rows repeat."
    first, then = to_json(sort_by_level([all_of_them, one]))
    assert first == {"level": "stop", "kind": "leak", "columns": ["late"], "text": one.sentence}
    assert (then["level"], then["columns"]) == ("decide", ["a", "b"])


CITIES = {
    "Łódź Kraków Poznań Wrocław": "cp1250",
    "Plzeň Brno Třebíč Ústí": "cp1250",
    "İstanbul Şanlıurfa Muğla Eskişehir": "cp1254",
}


@pytest.mark.parametrize(("cities", "encoding"), CITIES.items())
def test_uncertain_encoding_is_reported_as_finding(raw, cities, encoding):
    rows = "".join(f"{city},{i},{'ny'[i % 2]}\n" for i in range(20) for city in cities.split())
    read = raw(f"city,a,y\n{rows}".encode(encoding))
    assert ("reading", "decide") in list_finding_levels(read)[("city",)]
    assert read.options.encoding == encoding
    assert "cp1252" in {each.encoding for each in read.likely}
    assert ("city",) not in list_finding_levels(
        raw(f"city,a,y\n{rows}".encode(encoding), encoding=encoding)
    )


@pytest.mark.parametrize("cells", ["Málaga Logroño A-Coruña", "Besançon élevé Sète", "£5 £7 £9"])
def test_plausible_western_encoding_raises_no_finding(raw, cells):
    rows = "".join(f"{word},{i},{'ny'[i % 2]}\n" for i in range(20) for word in cells.split())
    findings_by_columns = list_finding_levels(raw(f"w,a,y\n{rows}".encode("cp1252")))
    assert not any(("reading", "decide") in each for each in findings_by_columns.values())


def test_duplicate_columns_share_one_finding(raw):
    cells = [noise * 7919 % 13 for noise in range(60)]
    lines = "".join(f"{a},{a},{a},{a},{'pq'[i % 2]}\n" for i, a in enumerate(cells))
    table = Table.from_raw(raw(f"a,b,c,d,y\n{lines}", header=True), target="y")
    (finding,) = [each for each in table.findings if each.kind == "repeated-column"]
    assert finding.columns == ("b", "c", "d")
