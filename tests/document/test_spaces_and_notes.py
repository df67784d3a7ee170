import pytest

from studio.document import sealing
from studio.errors import DocumentError


def test_saved_space_replaces_previous_one(document):
    document.spaces.save("mine", {"a": 1})
    document.spaces.save("mine", {"a": 2})
    assert document.spaces.read("mine") == {"a": 2}
    assert document.query("SELECT count(*) FROM spaces") == [(1,)]


def test_saving_unchanged_space_writes_nothing(document):
    document.spaces.save("mine", {"a": 1})
    before = document.get_revision()
    document.spaces.save("mine", {"a": 1})
    assert document.get_revision() == before


def test_newest_revision_of_earlier_version_is_read_and_replaced(document):
    with document.run_transaction():
        for number in (1, 2):
            body = sealing.seal({"space": {"a": number}, "saved": 0.0}, f"space {number}")
            document.execute(
                "INSERT INTO spaces (id, revision, name, body) VALUES (?, ?, ?, ?)",
                (number, number, '"mine"', body),
            )
        document.execute("UPDATE clock SET value = 2")
    assert document.spaces.read("mine") == {"a": 2}
    document.spaces.save("mine", {"a": 3})
    assert document.query("SELECT id FROM spaces") == [(3,)]


def test_spaces_are_listed_in_order_of_saving(document):
    document.spaces.save("ä", {"a": 1})
    document.spaces.save("b \udcff", {"a": 1})
    document.spaces.save("ä", {"a": 2})
    assert document.spaces.list_names() == ("b \udcff", "ä")


def test_missing_space_error_contains_name(document):
    with pytest.raises(DocumentError, match="no space 'mine'"):
        document.spaces.read("mine")


def test_notes_are_replaced(document):
    assert document.notes.get("page") is None
    document.notes.set("page", {"name": "Data"})
    document.notes.set("page", ["Run", 1.5])
    assert document.notes.get("page") == ["Run", 1.5]
