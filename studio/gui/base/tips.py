"""Tooltips with untrusted text, shown as plain text."""

from html import escape


def plain_tip(text: str) -> str:
    """Return a tooltip that shows text verbatim.

    Qt takes a tooltip that looks like HTML for HTML, and loads the pictures that it names.
    """
    if "<" not in text:
        return text
    return f"<span>{escape(text)}</span>".replace("\n", "<br>")
