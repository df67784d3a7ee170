"""Labels that differ by case, blanks or width only are found, and no others."""

import re

import pytest

from studio.data import labels
from studio.data.columns import describe_all_columns
from studio.data.labels import find_misspellings, group_similar_labels, normalise_spelling
from studio.data.treatments import MergeSimilarLabels


def find_in_cells(raw, cells, column: int):
    lines = "".join(f"{i * 7 % 23},{each},{'pq'[i % 2]}\n" for i, each in enumerate(cells))
    described = describe_all_columns(
        raw(f"a,b,c\n{lines}", header=True), "c" if column == 1 else "b"
    )
    return [each for each in described[1].findings if each.kind == "alike-labels"]


@pytest.mark.parametrize("column", [1, 2])
@pytest.mark.parametrize(
    "labels",
    [
        ["Yes", "yes", "YES", "No", "no"],
        ["New York", "new york", "Boston", "Bern"],
        ["New York", "NewYork", "Boston", "Bern"],
        ["Ａｐｐｌｅ", "Apple", "Pear"],
        ["Straße", "STRASSE", "Weg"],
        ["New York", "New_York", "Boston", "Bern"],
        ["part-time", "part time", "full time"],
        [">50K.", ">50K", "<=50K"],
    ],
)
def test_similar_labels_are_reported_with_column(raw, labels, column):
    """Features and targets are treated alike."""
    (finding,) = find_in_cells(raw, labels * 12, column)
    assert (finding.level, finding.columns) == ("decide", ("b",))
    assert repr(labels[0]) in finding.sentence and repr(labels[1]) in finding.sentence


@pytest.mark.parametrize(
    "labels",
    [
        ["yes", "no", "maybe"],
        ["O2", "O3", "NO2"],
        ["A-B", "AB", "B_A", "BA"],
        ["10-15", "1015", "15_20"],
        ["part-time", "part time off", "full time"],
        ["1", "01", "2"],
        ["ä", "a", "à"],
        ["...", ".", "a"],
    ],
)
def test_different_labels_are_not_similar(raw, labels):
    for column in (1, 2):
        assert find_in_cells(raw, labels * 12, column) == []


@pytest.mark.parametrize("spelling", ["yes ", "y\u200bes", "yes\u200e", "\ufeffyes", "ye\u00ads"])
def test_spellings_of_one_label_are_reported(raw, spelling):
    (finding,) = find_in_cells(raw, ["yes", spelling, "no"] * 12, 2)
    assert finding.level == "done"
    assert repr(spelling) in finding.sentence
    assert find_in_cells(raw, [" yes", " no"] * 12, 2) == [], "each is written in one way"


def test_groups_keep_order_of_labels():
    assert group_similar_labels(["b", "A", "B ", "a", "c"]) == (("b", "B "), ("A", "a"))
    assert normalise_spelling("  Ｎｅｗ\u00a0York ") == "newyork"


def test_long_list_of_similar_labels_is_shortened(raw):
    labels = [word for i in range(6) for word in (f"City {chr(97 + i)}", f"city {chr(97 + i)}")]
    (finding,) = find_in_cells(raw, labels * 8, 1)
    assert finding.sentence.values["number"] == 12
    assert finding.sentence.count(" = ") == 3


@pytest.mark.parametrize("target", ["b", "c"])
def test_merged_labels_raise_no_finding(raw, target):
    lines = "".join(
        f"{i * 7 % 23},{('yes', 'Yes', 'no')[i % 3]},{'pq'[i % 2]}\n" for i in range(60)
    )
    table = raw(f"a,b,c\n{lines}", header=True)
    for treatments, kinds in (({}, ["alike-labels"]), ({"b": "merge alike"}, ["treated"])):
        column = describe_all_columns(table, target, treatments=treatments)[1]
        assert [each.kind for each in column.findings] == kinds
        assert column.distinct == (2 if treatments else 3)


def test_rare_misspellings_can_be_merged(raw):
    words = ["setosa", "virginica"] * 40 + ["setsoa", "virginca", "Setosa"]
    (finding,) = find_in_cells(raw, words, 1)
    assert finding.level == "decide"
    assert "setsoa" in finding.sentence
    assert finding.remedies[0].value == "merge alike"
    labels = ["Setosa", "setosa", "setsoa", "virginca", "virginica"]
    expected_merges = {"Setosa": "setosa", "setsoa": "setosa", "virginca": "virginica"}
    assert (
        dict(MergeSimilarLabels().list_merged_labels(labels, [1, 40, 1, 1, 40])) == expected_merges
    )


@pytest.mark.parametrize(
    ("rare", "frequent"),
    [
        ("symptomatic", "asymptomatic"),
        ("hermana", "hermano"),
        ("A1002", "A1003"),
        ("Iran", "Iraq"),
        ("unhappy", "happy"),
        ("setosa", "setoas"),
    ],
)
def test_different_words_are_not_misspellings(rare, frequent):
    n_rare = 30 if rare == "setosa" else 1
    assert find_misspellings([frequent, rare], [40, n_rare]) == ()


def test_long_texts_are_not_checked_for_misspellings(monkeypatch):
    compared = []

    def count(word):
        compared.append(len(word))
        return deletions(word)

    deletions = labels._generate_deletions
    monkeypatch.setattr(labels, "_generate_deletions", count)
    page = "ab" * 5000
    texts = [page, f"b{page}", "setosa", "setsoa", "42"]
    assert find_misspellings(texts, [40, 1, 40, 1, 40]) == (("setsoa", "setosa"),)
    assert sum(compared) == 3 * len("setosa"), "once as a frequent label, both to be compared"


@pytest.mark.parametrize(
    ("labels", "groups"),
    [
        (("TRUE", "1", "0", "FALSE"), (("TRUE", "1"), ("0", "FALSE"))),
        (("no", "N", "yes"), (("no", "N"),)),
        (("80331", "01067", "1067"), (("01067", "1067"),)),
        (("1", "0", "2"), ()),
        (("yes", "Y", "maybe"), ()),
        (("33", "0033", "5e1f"), ()),
    ],
)
def test_variants_of_label_are_similar(labels, groups):
    assert group_similar_labels(labels) == groups


def test_merging_variants_of_label_is_suggested(raw):
    (finding,) = find_in_cells(raw, ["yes", "Y", "no", "no"] * 10, 1)
    assert (finding.level, finding.remedies[0].value) == ("idea", "merge alike")


def test_long_similar_labels_are_shown_where_they_differ(raw):
    label = "Caller reports that the pain has lasted for two whole weeks"
    labels = [label, f"{label}.", label.replace("Caller", "caller"), "none"]
    for pair in (labels[:2], labels[1:3], [labels[0], labels[2]]):
        (finding,) = find_in_cells(raw, [*pair, "none"] * 12, 1)
        first, second = re.findall("'([^']*)'", finding.sentence)[:2]
        assert first != second and max(len(first), len(second)) <= 42
    (finding,) = find_in_cells(raw, ["Yes", "yes", "No"] * 12, 1)
    assert "…" not in finding.sentence
