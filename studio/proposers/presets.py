"""Presets: methods by name.

Keys are identical in the command line, the document and JSON. For another combination, take the
nearest preset and override the parts or options that differ.
"""

from studio.data.tasks import Task
from studio.errors import UsageError
from studio.parts import make_unknown_error
from studio.phrases import phrase
from studio.proposers.composition import Preset
from studio.proposers.preset_table import PRESETS

_REMOVED_METHODS = ("smac3", "smac", "flaml")
"""Former method names, as stored by runs of earlier versions."""


def get_default(task: Task) -> str:
    """Return the key of the default method of a task."""
    del task  # the same for all tasks
    return "best"


def get_preset(name: str) -> Preset:
    """Return the preset with this key or alias; or raise UsageError with the nearest and all."""
    for preset in PRESETS:
        if name == preset.key or name in preset.aliases:
            return preset
    if name in _REMOVED_METHODS:
        raise UsageError(
            "The method {name!r} was removed in version 0.3. The run can be viewed; to "
            "continue it, or to predict with it, use version 0.2.",
            name=name,
        )
    aliases = [alias for preset in PRESETS for alias in preset.aliases]
    keys = [preset.key for preset in PRESETS]
    raise make_unknown_error(name, phrase("method"), keys, aliases)


def find_title(name: str) -> str:
    """Return a method's display name; empty for user-defined methods."""
    return next((preset.title for preset in PRESETS if preset.key == name), "")
