"""The page docs/studies/honesty.md: sections between marks, each written separately."""

from collections.abc import Mapping

from bench.honesty.registry import SECTIONS

HEAD = """\
# Honesty: simulated coverage of intervals and error rates of tests

Simulations with known truth of the displayed intervals and tests, at default settings: how often an
interval contains the true value, how often "more than chance" is wrong (false positives), and how
often a true difference is detected (power). Comparisons of methods have
[a separate page](honesty-comparisons.md). This command reproduces all figures exactly:

```
python packaging/honesty.py [SECTION …] [--quick]
```
"""

_PARTS = tuple(part for key in SECTIONS for part in (key, f"{key}, by hand"))
"""Sections, each with its handwritten text, which is always kept."""


def page(written: Mapping[str, str], before: str = "") -> str:
    """Return the page with new sections in place of the old ones.

    Args:
        written: Markdown of sections by key.
        before: The previous page; its other sections are kept.
    """
    parts = [HEAD]
    for key in _PARTS:
        text = written.get(key) or _get_old_section(before, key)
        if text:
            parts.append(f"{_make_mark(key)}\n{text.rstrip()}\n")
    return "\n".join(parts)


def _make_mark(key: str) -> str:
    return f"<!-- section {key} -->"


def _get_old_section(before: str, key: str) -> str:
    """Return a section of the previous page; empty if missing."""
    _, found, rest = before.partition(f"{_make_mark(key)}\n")
    return rest.split("<!-- section ")[0] if found else ""
