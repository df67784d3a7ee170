"""Text as literals of the Python code that we write."""


def quoted(text: str) -> str:
    """Return text as a Python literal in double quotes, whatever is in it."""
    shown = repr(text)
    if shown[0] == "'" and '"' not in shown:
        return f'"{shown[1:-1]}"'
    return shown
