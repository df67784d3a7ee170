"""Invalid JSON for all readers of processes and files."""

DEEP = "[" * 100_000
HOSTILE = (
    DEEP,
    '{"a":' * 100_000,
    "Infinity",
    '{"a": NaN}',
    "1e999",
    "[-1e999]",
    "9" * 5000,
    '{"$phrase": "{0.__class__}", "values": {"0": "x"}}',
    '{"$phrase": "{x:999999999}", "values": {"x": 1}}',
    "\x00",
    "",
)
"""Excessive nesting, numbers beyond the range of floats, invalid phrases, invalid JSON."""
