"""The searches of other libraries in a study: by what name, and whether they are installed."""

from collections.abc import Iterable, Sequence

from studio.compare.notes import StudyMethod
from studio.errors import UsageError
from studio.parts import find
from studio.phrases import joined
from studio.proposers.base import Proposer
from studio.proposers.peers.base import Peer
from studio.proposers.preset_table import PRESETS as ALL
from studio.proposers.presets import preset_for
from studio.proposers.registry import REGISTRY

PRESETS = tuple(
    each for each in ALL if issubclass(find(REGISTRY, each.parts["proposer"], "proposer"), Peer)
)
"""The methods of other libraries."""


def peer_methods(names: Sequence[str]) -> tuple[StudyMethod, ...]:
    """Return the methods of other libraries by name, as ``--with`` takes them.

    Raises:
        UsageError: If one is not another library's.
    """
    known = {name: preset for preset in PRESETS for name in (preset.key, *preset.aliases)}
    for name in names:
        if name not in known:
            raise UsageError(
                "There is no search of another library called {name!r}; available: "
                "{presets}. This program's own methods are chosen with --methods.",
                name=name,
                presets=", ".join(preset.key for preset in PRESETS),
            )
    return tuple(StudyMethod(known[name].key, known[name].key) for name in names)


def check_installed(methods: Iterable[StudyMethod]) -> None:
    """Refuse methods whose library is missing, all at once.

    Raises:
        UsageError: If any is; the message says what to install.
    """
    lacking = dict.fromkeys(
        words for each in methods if (words := _proposer(each).missing_dependency())
    )
    if lacking:
        raise UsageError(joined(lacking))


def libraries(methods: Iterable[StudyMethod]) -> tuple[str, ...]:
    """Return the other libraries that methods search with, each once."""
    used = (_proposer(each) for each in methods)
    return tuple(dict.fromkeys(each.module for each in used if issubclass(each, Peer)))


def _proposer(method: StudyMethod) -> type[Proposer]:
    key = method.set.get("proposer", preset_for(method.method).parts["proposer"])
    return find(REGISTRY, str(key), "proposer")
