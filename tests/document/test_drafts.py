import pytest

from studio.document import drafts
from studio.errors import DocumentError


def test_a_space_is_kept_in_revisions(document):
    first = document.save_space("mine", {"a": 1})
    second = document.save_space("mine", {"a": 2})
    assert document.space("mine") == {"a": 2}
    assert document.space("mine", first) == {"a": 1}
    assert document.space("mine", second) == {"a": 2}
    assert document.spaces() == ("mine",)


def test_saving_the_same_again_changes_nothing(document):
    first = document.save_space("mine", {"a": 1})
    assert document.save_space("mine", {"a": 1}) == first
    assert document.space("mine", first) == {"a": 1}


def test_spaces_are_listed_in_the_order_of_saving(document):
    document.save_space("ä", {"a": 1})
    document.save_space("b \udcff", {"a": 1})
    document.save_space("ä", {"a": 2})
    assert document.spaces() == ("b \udcff", "ä")


def test_old_revisions_are_forgotten(document, monkeypatch):
    monkeypatch.setattr(drafts, "KEPT_REVISIONS", 3)
    revisions = [document.save_space("mine", {"a": number}) for number in range(6)]
    assert [document.space("mine", each) for each in revisions[-3:]] == [
        {"a": 3},
        {"a": 4},
        {"a": 5},
    ]
    with pytest.raises(DocumentError, match=f"no space 'mine' in revision {revisions[0]}"):
        document.space("mine", revisions[0])


def test_a_space_that_is_not_there_is_named(document):
    with pytest.raises(DocumentError, match="no space 'mine'"):
        document.space("mine")


def test_notes_are_replaced(document):
    assert document.note("page") is None
    document.set_note("page", {"name": "Data"})
    document.set_note("page", ["Run", 1.5])
    assert document.note("page") == ["Run", 1.5]
