import pytest

from studio.document import spaces
from studio.errors import DocumentError
from tests.facts import about


def test_spaces_are_stored_as_revisions(document):
    first = document.spaces.save("mine", {"a": 1})
    second = document.spaces.save("mine", {"a": 2})
    assert document.spaces.read("mine") == {"a": 2}
    assert document.spaces.read("mine", first) == {"a": 1}
    assert document.spaces.read("mine", second) == {"a": 2}
    assert document.spaces.list_names() == ("mine",)


def test_saving_unchanged_space_creates_no_revision(document):
    first = document.spaces.save("mine", {"a": 1})
    assert document.spaces.save("mine", {"a": 1}) == first
    assert document.spaces.read("mine", first) == {"a": 1}


def test_spaces_are_listed_in_order_of_saving(document):
    document.spaces.save("ä", {"a": 1})
    document.spaces.save("b \udcff", {"a": 1})
    document.spaces.save("ä", {"a": 2})
    assert document.spaces.list_names() == ("b \udcff", "ä")


def test_old_revisions_are_removed(document, monkeypatch):
    monkeypatch.setattr(spaces, "MAX_REVISIONS", 3)
    revisions = [document.spaces.save("mine", {"a": number}) for number in range(6)]
    assert [document.spaces.read("mine", each) for each in revisions[-3:]] == [
        {"a": 3},
        {"a": 4},
        {"a": 5},
    ]
    with pytest.raises(DocumentError, check=about(name="'mine'", revision=str(revisions[0]))):
        document.spaces.read("mine", revisions[0])


def test_missing_space_error_contains_name(document):
    with pytest.raises(DocumentError, match="no space 'mine'"):
        document.spaces.read("mine")


def test_notes_are_replaced(document):
    assert document.notes.get("page") is None
    document.notes.set("page", {"name": "Data"})
    document.notes.set("page", ["Run", 1.5])
    assert document.notes.get("page") == ["Run", 1.5]
