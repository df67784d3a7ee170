"""Command-line options generated from declared settings."""

import argparse
from collections.abc import Iterable, Mapping
from typing import Any

from studio.setting import Setting, iter_settings


def add_settings_arguments(
    parser: argparse.ArgumentParser, record: type, helps: Mapping[str, str] | None = None
) -> None:
    """Add the options of a dataclass's settings, each ``None`` by default.

    ``helps`` contains the included settings with their help texts; ``None`` means all, with their
    declared texts.
    """
    for each in iter_settings(record):
        if not each.flag or (helps is not None and each.name not in helps):
            continue
        default_text = f" (default: {each.default_text})" if each.default_text else ""
        parser.add_argument(
            each.option,
            dest=each.name,
            default=None,
            help=helps[each.name] if helps else each.flag + default_text,
            **_make_argparse_keywords(each),
        )


def _make_argparse_keywords(setting: Setting) -> dict[str, Any]:
    if setting.is_off_switch:
        return {"action": "store_false"}
    if setting.kind is bool:
        return {"action": argparse.BooleanOptionalAction}
    if setting.choices:
        return {"choices": setting.choices}
    return {"type": setting.kind, "metavar": setting.metavar}


def get_given_values(arguments: argparse.Namespace, names: Iterable[str]) -> dict[str, Any]:
    """Return the values given for some settings, by name."""
    values = {name: getattr(arguments, name) for name in names}
    return {name: value for name, value in values.items() if value is not None}
