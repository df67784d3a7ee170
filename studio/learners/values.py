"""Hyperparameters checked against their domains; clipped values are recorded."""

import math
from collections.abc import Mapping, Sequence
from typing import Any, Literal

from studio.errors import LearnerError
from studio.learners.domains import (
    ANY_VALUE,
    Flag,
    ForbiddenCombination,
    Settings,
    get_default_choice,
)
from studio.phrases import phrase
from studio.trial import Value

WIDTH_TWICE = ForbiddenCombination(width=ANY_VALUE, gamma=ANY_VALUE)
"""Mutually exclusive settings, as both set the width of an RBF kernel."""


class LearnerValues:
    """The values that a configuration gives one learner.

    Args:
        learner: The learner's key, for messages.
        used: Receives clipped values: a learner's under their names, an operator's under
            ``key.name``.

    Raises:
        LearnerError: If a name or a value is invalid.
    """

    def __init__(
        self,
        learner: str,
        values: Mapping[str, Value],
        domains: Settings,
        clashes: Sequence[ForbiddenCombination] = (),
        *,
        noun: Literal["learner", "operator"] = "learner",
        used: dict[str, Value] | None = None,
    ) -> None:
        self._learner = learner
        self._values = dict(values)
        self._domains = domains
        self._prefix = f"{learner}." if noun == "operator" else ""
        self.clipped_values: dict[str, Value] = {} if used is None else used
        for name, value in values.items():
            if name not in domains:
                raise LearnerError(make_unknown_setting_message(learner, name, domains, noun))
            # New runs reject such spaces, but trials of old ones are trained as before.
            valid_value = domains[name].find_nearest(value)
            if not domains[name].accepts(valid_value):
                raise self._make_value_error(name, domains[name].description, value)
            if valid_value != value:
                self.clipped_values[self._prefix + name] = self._values[name] = valid_value
        for clash in clashes:
            if clash.matches(values, domains):
                raise LearnerError(
                    "{learner} cannot take {values} together, and the space combines them. "
                    "Remove one of them, or let one be active only without the other.",
                    learner=learner,
                    values=clash.description,
                )

    def __contains__(self, name: str) -> bool:
        return name in self._values

    def read(self, *words: str, **defaults: float | None) -> dict[str, Any]:
        """Return several settings by name.

        Args:
            words: Words, by default the first suitable ones.
            defaults: Numbers and flags with their defaults.
        """
        settings: dict[str, Any] = {name: self.get_word(name) for name in words}
        for name, default in defaults.items():
            value: Any = self._values.get(name, default)
            domain = self._domains[name]
            is_given = name in self and not isinstance(domain, Flag)
            settings[name] = (int if domain.is_integer else float)(value) if is_given else value
        return settings

    def get_integer(self, name: str, default: int, high: int | None = None) -> int:
        """Return a whole number; one above ``high`` is clipped and recorded."""
        value = int(self._values.get(name, default))
        if high is not None and value > high:
            self.clipped_values[self._prefix + name] = value = high
        return value

    def get_number(
        self, name: str, default: float, low: float = -math.inf, high: float = math.inf
    ) -> float:
        """Return a finite number; one outside ``low`` to ``high`` is clipped and recorded."""
        value = float(self._values.get(name, default))
        valid_value = min(max(value, low), high)
        if valid_value != value:
            self.clipped_values[self._prefix + name] = valid_value
        return valid_value

    def get_boolean(self, name: str, default: bool, needed: bool | None = None) -> bool:
        """Return a boolean; a value determined by the data takes precedence and is recorded."""
        value = bool(self._values.get(name, default))
        if needed is not None and value != needed:
            self.clipped_values[self._prefix + name] = value = needed
        return value

    def get_word(self, name: str, choices: Sequence[str] = ()) -> str:
        """Return a word, by default the first suitable one; raise LearnerError if it is invalid."""
        default = choices[0] if choices else get_default_choice(self._domains[name])
        value = str(self._values.get(name, default))
        if choices and value not in choices:
            raise self._make_value_error(
                name, phrase("one of {words}", words=", ".join(choices)), value
            )
        return value

    def get_rbf_gamma(self, default_width: float) -> float:
        """Return gamma of exp(-gamma ‖x-x′‖²) from ``gamma`` or from the kernel ``width`` τ.

        gamma = 1 / (2 τ²) (thesis 3.3); a space sets only one of the two.
        """
        if "gamma" in self:
            return self.get_number("gamma", 1.0)
        width = self.get_number("width", default_width)
        if not 1e-150 < width < 1e150:
            raise self._make_value_error("width", "a number from 1e-150 to 1e150", width)
        return 1.0 / (2.0 * width**2)

    def _make_value_error(self, name: str, expected_text: str, value: object) -> LearnerError:
        return LearnerError(
            "{learner}.{name} must be {expected}; {value!r} was given. Change the range of "
            "that parameter of the space.",
            learner=self._learner,
            name=name,
            expected=expected_text,
            value=value,
        )


def make_unknown_setting_message(
    learner: str, name: str, domains: Settings, noun: Literal["learner", "operator"]
) -> str:
    """Return the message about an unknown hyperparameter of a learner or an operator."""
    names = ", ".join(domains) or phrase("none")
    if noun == "learner":
        return phrase(
            "The learner {learner} has no hyperparameter {name!r}; available: {names}. Rename or "
            "remove that parameter of the space.",
            learner=learner,
            name=name,
            names=names,
        )
    return phrase(
        "The operator {learner} has no hyperparameter {name!r}; available: {names}. Rename or "
        "remove that parameter of the space.",
        learner=learner,
        name=name,
        names=names,
    )
