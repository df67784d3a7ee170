"""What the searches of other libraries share: they may be missing, and they may be chatty.

A peer is a proposer like any other, so that it gets the same splits, space, budget, limits and
metric as ours, and its trials are ordinary trials of a document. Its library keeps a state; here
it is rebuilt from the finished trials for each suggestion.
"""

import importlib
import logging
import warnings
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from importlib.util import find_spec
from typing import Any, ClassVar, Self

from studio.data.tasks import Task
from studio.errors import UsageError
from studio.extras import install_command
from studio.phrases import phrase
from studio.proposers.base import Proposer, Search, Suggestion
from studio.space.encoding import decode, encode, keys
from studio.trial import Configuration

TRIES = 50
"""Times that a library is asked again while it repeats what was tried; then a draw is uniform.

None of them promises new settings; here a setting that was tried is known, and trains nothing.
"""


class Peer(Proposer):
    """Base of the searches of other libraries.

    Attributes:
        extra: The optional extra of the distribution that it needs.
        module: What that extra brings.
        also: What else it needs.
    """

    extra: ClassVar[str] = ""
    module: ClassVar[str] = ""
    also: ClassVar[tuple[str, ...]] = ()

    @classmethod
    def missing_dependency(cls) -> str:
        """Return what has to be installed first, in a sentence; empty where nothing has to be."""
        if all(find_spec(each) is not None for each in (cls.module, *cls.also)):
            return ""
        return phrase(
            "{title} needs its library: {command}",
            title=phrase(cls.title),
            command=install_command(*cls.extra.split(",")),
        )

    def prepared(self, task: Task, parts: Mapping[str, Any]) -> Self:
        """Return the proposer, if its library is there.

        Raises:
            UsageError: If it is not; the message says what to install.
        """
        if self.missing_dependency():
            raise UsageError(self.missing_dependency())
        return super().prepared(task, parts)


def unseen(search: Search, tried: set[bytes], values: Configuration) -> Configuration | None:
    """Return what a library asked for as a configuration, ``None`` if it was tried before.

    Args:
        search: Where the space is.
        tried: ``search.tried()``.
        values: A value for each active hyperparameter; those of others are ignored.
    """
    active = search.space.active(values)
    row = encode(search.space, [{name: values[name] for name in active}])
    return None if keys(search.space, row)[0] in tried else decode(search.space, row)[0]


def suggestion(configuration: Configuration, library: str) -> Suggestion:
    """Return a configuration as the suggestion of a library."""
    return Suggestion(configuration, phrase("suggested by {library}", library=library))


@contextmanager
def quiet(module: str) -> Iterator[None]:
    """Import a library, and keep its warnings and messages, which are for its own users, to itself.

    Args:
        module: Its name, under which it also logs.
    """
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        importlib.import_module(module)
        log = logging.getLogger(module)
        before = log.level
        log.setLevel(logging.CRITICAL)
        try:
            yield
        finally:
            log.setLevel(before)
