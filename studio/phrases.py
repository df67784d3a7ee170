"""Pieces of sentences, marked so that the window can translate them where they are shown."""


def clause(text: str) -> str:
    """Return a text as it is: part of a sentence, which the catalogue shall hold by itself.

    Whole sentences need no mark: they are known by how they begin and end.
    """
    return text
