"""Tooltips with untrusted text, shown as plain text."""

from html import escape


def plain_tip(text: str) -> str:
    """Return a tooltip that shows text verbatim.

    Qt takes a tooltip that looks like HTML for HTML, and loads the pictures that it names.
    """
    return _as_markup(text) if "<" in text else text


def tip_below(text: str, tip: str) -> str:
    """Return a tooltip of a text, verbatim, above another tooltip, which is plain already."""
    if "<" not in text and "<" not in tip:
        return f"{text}\n{tip}".strip()
    return f"{_as_markup(text)}<br>{tip if '<' in tip else _as_markup(tip)}"


def _as_markup(text: str) -> str:
    return f"<span>{escape(text)}</span>".replace("\n", "<br>")
