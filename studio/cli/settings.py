"""Options of the command line for declared settings."""

import argparse
from collections.abc import Iterable, Mapping
from typing import Any

from studio.setting import Setting, settings_of


def add_settings(
    parser: argparse.ArgumentParser, record: type, helps: Mapping[str, str] | None = None
) -> None:
    """Add the options of a record's settings.

    Parameters
    ----------
    parser : ArgumentParser
        Gets an argument of each setting's name, which is ``None`` where it was not given.
    record : type
        A dataclass that declares settings.
    helps : Mapping or None
        Only these, by name, with what ``--help`` says of each here; ``None`` for all, with what
        they declare.
    """
    for each in settings_of(record):
        if each.flag is None or (helps is not None and each.name not in helps):
            continue
        default = f" (default: {each.flag.default})" if each.flag.default else ""
        parser.add_argument(
            each.option,
            dest=each.name,
            default=None,
            help=helps[each.name] if helps else each.flag.help + default,
            **_form(each),
        )


def _form(setting: Setting) -> dict[str, Any]:
    """Return how argparse reads the value."""
    assert setting.flag is not None, "a setting without an option is not read"
    if setting.flag.only_off:
        return {"action": "store_false"}
    if setting.kind is bool:
        return {"action": argparse.BooleanOptionalAction}
    if setting.choices:
        return {"choices": setting.choices}
    return {"type": setting.kind, "metavar": setting.flag.metavar}


def given(arguments: argparse.Namespace, names: Iterable[str]) -> dict[str, Any]:
    """Return what was given of some arguments, by name."""
    values = {name: getattr(arguments, name) for name in names}
    return {name: value for name, value in values.items() if value is not None}
