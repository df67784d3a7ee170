"""What commands print: text for people, or one JSON object as the last line."""

import json
import math
from typing import Any


def print_json(content: dict[str, Any]) -> None:
    """Print the object on one line of standard output; NaN and infinities become null."""
    print(json.dumps(_finite(content), ensure_ascii=False, allow_nan=False), flush=True)


def _finite(value: Any) -> Any:
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, dict):
        return {str(key): _finite(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_finite(item) for item in value]
    return value


def duration(seconds: float) -> str:
    """Return a duration for people: "48 s", "3 min 20 s", "2 h 05 min"."""
    whole = round(seconds)
    if whole < 60:
        return f"{whole} s"
    if whole < 3600:
        return f"{whole // 60} min {whole % 60:02d} s"
    return f"{whole // 3600} h {whole % 3600 // 60:02d} min"
