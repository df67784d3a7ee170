"""Settings that a library's estimator accepts beyond a learner's hyperparameters.

They are read from the libraries themselves; those controlled by a run (threads, seeds, the
objective, …) are rejected with the reason.
"""

import difflib
import inspect
import re
from collections.abc import Iterable, Iterator, Mapping
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field
from functools import cache
from numbers import Integral
from types import MappingProxyType
from typing import Any

from studio.errors import LibrarySettingError
from studio.learners.domains import (
    AnyOf,
    Domain,
    Flag,
    IntegerInterval,
    RealInterval,
    StringOptions,
    Text,
)
from studio.phrases import join_phrases, phrase
from studio.space.base import join_values
from studio.trial import Value

NONE_WORD = "none"
"""The word in a space for Python's ``None``."""

THREADS = phrase("every trial trains on one thread")
SEED = phrase("the seed of the run decides")
SET_BY_TASK = phrase("the metric and the column to predict decide")
SET_BY_LOGGING = phrase("a trial prints nothing; the run's log says what happened")
TRAINED_ONCE = phrase("every trial trains once, from the beginning")
SET_BY_LIMITS = phrase("the limits of the run and its validation rows decide when training ends")
ROUNDS = phrase("training ends at the best round so far, which needs trees that no longer change")
DEVICE = phrase("trials are trained on the CPU")
REPRODUCIBLE = phrase("it keeps results the same from run to run")
FILES = phrase("a trial reads and writes no files")
COLUMNS = phrase("the kinds of the columns decide")
EACH_COLUMN = phrase(
    "it has one value per column, and the number of columns is known only after preprocessing"
)

PROGRAM_SETTINGS: Mapping[str, str] = MappingProxyType(
    {
        **dict.fromkeys(("n_jobs", "num_threads", "nthread", "thread_count"), THREADS),
        **dict.fromkeys(("random_state", "seed", "random_seed"), SEED),
        **dict.fromkeys(("verbose", "verbosity"), SET_BY_LOGGING),
        "warm_start": TRAINED_ONCE,
        "callbacks": SET_BY_LIMITS,
    }
)
"""Settings controlled by the program for any library, with the reason."""

_MAX_MESSAGE_LENGTH = 300
"""Maximum length of a library's error message."""

_HEAD = re.compile(r"(\w+(?: ?, ?\w+)*) ?: *(.+)")
_QUOTED = re.compile(r"[\"']([\w-]+)[\"']")


@dataclass(frozen=True)
class LibrarySetting:
    """A parameter of a library's estimator.

    Attributes:
        name: As in a space: ``boosting_type``, after the learner's key and a dot.
        description: A line of the library's documentation, if any.
        enabling_condition: The other setting's name and value that enable it, if any.
    """

    name: str
    aliases: tuple[str, ...]
    domain: Domain
    default: Value | None
    description: str
    enabling_condition: tuple[str, Value] | None = None


@dataclass(frozen=True)
class LibrarySettings:
    """Base of libraries' descriptions of their estimators' settings.

    Attributes:
        owned: Settings controlled by the program, with the reason, in addition to
            :data:`PROGRAM_SETTINGS`.
        enabling_conditions: By setting, the other setting's name and value that enable it.
        documented_choices: By setting, its choices, if the library only documents them in prose.
        non_monotone_settings: Settings with which its models violate monotonic constraints.
        replacements: By a setting and an outdated word, the current setting and word.
    """

    title: str
    owned: Mapping[str, str] = field(default_factory=dict)
    enabling_conditions: Mapping[str, tuple[str, Value]] = field(default_factory=dict)
    documented_choices: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    non_monotone_settings: frozenset[str] = frozenset()
    replacements: Mapping[tuple[str, Value], tuple[str, Value]] = field(default_factory=dict)

    def is_unbound(self, name: str) -> bool:
        """Return whether an explicit setting allows violations of monotonic constraints."""
        return not self.non_monotone_settings.isdisjoint((name, *self.list_aliases(name)))

    def explain_control(self, name: str) -> str:
        """Return why the program controls a setting; empty if a space may set it."""
        short_name = name.rpartition("__")[2]
        return self.owned.get(name) or PROGRAM_SETTINGS.get(short_name, "")

    def list_names(self, estimator: Any) -> tuple[str, ...]:
        """Return all parameters of an unfitted estimator with plain values, by name."""
        params = estimator.get_params()
        return tuple(name for name, value in params.items() if _is_plain(value))

    def list_aliases(self, name: str) -> tuple[str, ...]:
        """Return the aliases of a parameter."""
        del name
        return ()

    def get_domain(self, name: str, estimator: Any) -> Domain:
        """Return a parameter's domain, from its documentation or else its default."""
        if name in self.documented_choices:
            return StringOptions(*self.documented_choices[name])
        holder, local_name = find_holder(name, estimator)
        kind, _ = read_documentation(holder).get(local_name, ("", ""))
        return _parse_documented_domain(kind) or _infer_domain(estimator.get_params().get(name))

    def get_defaults(self, estimator: Any) -> Mapping[str, Value | None]:
        """Return an estimator's default settings."""
        params = estimator.get_params()
        return {name: value for name, value in params.items() if _is_plain(value)}

    def get_canonical_name(self, name: str, estimator: Any) -> str:
        """Return an estimator's name for a parameter; unknown names are unchanged."""
        known_names = self.list_names(estimator)
        return next(
            (each for each in (name, *self.list_aliases(name)) if each in known_names), name
        )

    def format_error(self, error: Exception) -> str:
        """Return the library's error message in one line."""
        return " ".join(str(error).split())[:_MAX_MESSAGE_LENGTH]

    def find_unmet_requirements(self, owner: str, estimator: Any) -> str:
        """Return the missing requirements of an estimator's settings; empty for none."""
        del owner, estimator
        return ""

    def silence(self) -> AbstractContextManager[object]:
        """Return a context that silences the library."""
        return nullcontext()

    def get_description(self, name: str, estimator: Any) -> LibrarySetting:
        """Return the description of a parameter of an unfitted estimator."""
        holder, local_name = find_holder(name, estimator)
        return LibrarySetting(
            name,
            self.list_aliases(name),
            self.get_domain(name, estimator),
            self.get_defaults(estimator).get(name),
            read_documentation(holder).get(local_name, ("", ""))[1],
            self.enabling_conditions.get(name),
        )

    def check_value(self, owner: str, name: str, value: Value, estimator: Any) -> Any:
        """Convert a value for an estimator; raise LibrarySettingError if it is not accepted."""
        setting = f"{owner}.{name}"
        if reason := self.explain_control(name):
            message = phrase(
                "{setting} cannot be set in a space: {reason}. Remove that parameter of the space.",
                setting=setting,
                reason=reason,
            )
            raise LibrarySettingError(setting, "", value, message, concerns_value=False)
        known_names = self.list_names(estimator)
        if name not in known_names:
            free_names = [each for each in known_names if not self.explain_control(each)]
            aliases = {each: self.list_aliases(each) for each in free_names}
            message = explain_unknown_setting(owner, name, find_similar_names(name, aliases))
            expected_text = phrase("a setting of {title}", title=self.title)
            raise LibrarySettingError(setting, expected_text, name, message, concerns_value=False)
        domain = self.get_domain(name, estimator)
        if not domain.accepts(value):
            error = LibrarySettingError(setting, domain.description, str(value))
            if (name, value) not in self.replacements:
                raise error
            other_name, other_value = self.replacements[name, value]
            message = phrase(
                "{wrong} Set {owner}.{other} = {word} instead.",
                wrong=error,
                owner=owner,
                other=other_name,
                word=other_value,
            )
            raise LibrarySettingError(setting, domain.description, str(value), message)
        return to_plain_value(value, domain)


_MIN_SIMILARITY, _MAX_SIMILAR_NAMES = 0.75, 3
"""Minimum similarity of a suggested name, from 0 to 1, and maximum number of suggestions."""


def find_similar_names(name: str, aliases: Mapping[str, Iterable[str]]) -> Mapping[str, str]:
    """Return the settings most similar to an unknown one, with the similar name or alias.

    The nearest is the first.

    Args:
        aliases: The aliases of each known setting.
    """
    settings = {alias: each for each in aliases for alias in aliases[each]}
    settings |= {each: each for each in aliases}
    spellings = {each.lower(): each for each in settings}
    near_names = difflib.get_close_matches(
        name.lower(), spellings, n=2 * _MAX_SIMILAR_NAMES, cutoff=_MIN_SIMILARITY
    )
    similar_names: dict[str, str] = {}
    for each in near_names:
        setting = settings[spellings[each]]
        is_name_similar = setting.lower() in near_names
        similar_names.setdefault(setting, setting if is_name_similar else spellings[each])
    return dict(list(similar_names.items())[:_MAX_SIMILAR_NAMES])


def explain_unknown_setting(owner: str, name: str, similar_names: Mapping[str, str]) -> str:
    """Return that a learner has no such setting, with those that may be meant.

    Args:
        similar_names: From :func:`find_similar_names`.
    """
    if not similar_names:
        return phrase(
            "{owner} has no setting “{name}”, and none with a similar name.", owner=owner, name=name
        )
    names = [
        setting
        if setting == similar
        else phrase("{name} (also called {alias})", name=setting, alias=similar)
        for setting, similar in similar_names.items()
    ]
    return join_phrases(
        (
            phrase("{owner} has no setting “{name}”.", owner=owner, name=name),
            phrase("Did you mean {names}?", names=join_values(names, "or")),
        )
    )


def to_plain_value(value: Value, domain: Domain) -> Any:
    """Convert a value for a library: whole numbers to int, "none" to ``None``."""
    if value == NONE_WORD and _allows_none(domain):
        return None
    if isinstance(value, float) and domain.is_integer:
        return int(value)
    return value


def find_holder(name: str, estimator: Any) -> tuple[Any, str]:
    """Return the estimator, or the inner one, with a parameter, and the parameter's name there."""
    inner, _, local_name = name.rpartition("__")
    return (estimator.get_params()[inner] if inner else estimator), local_name


def merge_domains(*domains: Domain) -> Domain:
    """Return the union of some domains, merging domains of words."""
    texts = [text for each in domains if isinstance(each, StringOptions) for text in each.choices]
    other_domains = [each for each in dict.fromkeys(domains) if not isinstance(each, StringOptions)]
    all_domains = [*other_domains, StringOptions(*dict.fromkeys(texts))] if texts else other_domains
    return all_domains[0] if len(all_domains) == 1 else AnyOf(tuple(all_domains))


def _allows_none(domain: Domain) -> bool:
    inner_domains = domain.domains if isinstance(domain, AnyOf) else (domain,)
    return any(
        isinstance(each, StringOptions) and NONE_WORD in each.choices for each in inner_domains
    )


def _is_plain(value: Any) -> bool:
    return value is None or isinstance(value, bool | int | float | str)


def _infer_domain(default: Any) -> Domain:
    if isinstance(default, bool):
        return Flag()
    if isinstance(default, int | float):
        return RealInterval()
    return Text()


def _parse_documented_domain(kind: str) -> Domain | None:
    """Return the domain of a documented type, ``Optional[float]``; ``None`` if unknown."""
    kind = kind.partition("default")[0]
    quoted = _QUOTED.findall(kind)
    domains: list[Domain] = []
    if re.search(r"\bfloat\b", kind):
        domains.append(RealInterval())
    elif re.search(r"\bint\b", kind):
        domains.append(IntegerInterval())
    if re.search(r"\bbool", kind):
        domains.append(Flag())
    if quoted:
        domains.append(StringOptions(*quoted))
    elif re.search(r"\bstr", kind):
        domains.append(Text())
    if domains and re.search(r"None|Optional", kind):
        domains.append(StringOptions(NONE_WORD))
    return merge_domains(*domains) if domains else None


def read_documentation(estimator: Any) -> Mapping[str, tuple[str, str]]:
    """Return documented type and description of an estimator's parameters, by name."""
    documented = type(estimator).__init__, type(estimator)
    return _parse_documentation(tuple(inspect.cleandoc(each.__doc__ or "") for each in documented))


@cache
def _parse_documentation(texts: tuple[str, ...]) -> Mapping[str, tuple[str, str]]:
    documented: dict[str, tuple[str, str]] = {}
    for text in texts:
        lines = text.splitlines()
        for line_number, line in enumerate(lines):
            match = _HEAD.fullmatch(line.strip())
            indent = len(line) - len(line.lstrip())
            if match is None:
                continue
            description: list[str] = []
            for next_line in lines[line_number + 1 :]:
                if not next_line.strip() and not description:
                    continue
                if not next_line.strip() or len(next_line) - len(next_line.lstrip()) <= indent:
                    break
                description.append(next_line.strip())
            for name in re.split(r" ?, ?", match[1]):
                if description:
                    documented.setdefault(
                        name, (match[2], _get_first_sentence(" ".join(description)))
                    )
    return documented


def _get_first_sentence(text: str) -> str:
    text = re.sub(r":\w+:|`", "", text)
    end = re.search(r"(?<!e\.g)(?<!i\.e)\.(?= [A-Z]|$)", text)
    return text if end is None else text[: end.end()]


@dataclass(frozen=True)
class _ScikitLearn(LibrarySettings):
    """Estimators whose class declares parameter constraints."""

    def get_domain(self, name: str, estimator: Any) -> Domain:
        """Return the domain by a parameter's constraints, including an inner estimator's."""
        holder, local_name = find_holder(name, estimator)
        constraints = getattr(type(holder), "_parameter_constraints", {})
        domains = [
            each
            for constraint in constraints.get(local_name, ())
            for each in _iterate_domains(constraint)
        ]
        return merge_domains(*domains) if domains else super().get_domain(name, estimator)


def _iterate_domains(constraint: Any) -> Iterator[Domain]:
    from sklearn.utils._param_validation import Interval, StrOptions

    if constraint is None:
        yield StringOptions(NONE_WORD)
    elif constraint in ("boolean", "verbose"):
        yield Flag()
    elif isinstance(constraint, StrOptions):
        yield StringOptions(*sorted(constraint.options - constraint.deprecated))
    elif isinstance(constraint, Interval):
        make = IntegerInterval if issubclass(constraint.type, Integral) else RealInterval
        low = float("-inf") if constraint.left is None else float(constraint.left)
        high = float("inf") if constraint.right is None else float(constraint.right)
        is_open_low = constraint.closed in ("right", "neither")
        is_open_high = constraint.closed in ("left", "neither")
        yield make(low, high, is_open_low, is_open_high)
    elif constraint is Integral:
        yield IntegerInterval()
    elif constraint is str:
        yield Text()


SCIKIT_LEARN = _ScikitLearn("scikit-learn")
