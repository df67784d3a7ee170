"""Reading hyperparameters' values: checked against what a learner can take, clips recorded."""

import math
from collections.abc import Mapping, Sequence
from typing import Literal

from studio.errors import LearnerError
from studio.phrases import phrase
from studio.trial import Value


class Values:
    """The values that a configuration gives one learner.

    Parameters
    ----------
    learner : str
        The learner's key, for messages.
    given : Mapping
        Values by hyperparameter name.
    known : sequence of str
        The names that the learner has.
    noun : str
        "learner" or "operator".
    used : dict, optional
        Where clipped values are recorded; a learner's under their names, an operator's under
        ``key.name``.

    Raises
    ------
    LearnerError
        If a name is not one of the learner's.
    """

    def __init__(
        self,
        learner: str,
        given: Mapping[str, Value],
        known: Sequence[str],
        *,
        noun: Literal["learner", "operator"] = "learner",
        used: dict[str, Value] | None = None,
    ) -> None:
        for name in given:
            if name not in known:
                names = ", ".join(known) or "none"
                raise LearnerError(
                    phrase(
                        "The learner {learner} has no hyperparameter {name!r}; it has: "
                        "{names}. Rename or remove that parameter of the space.",
                        learner=learner,
                        name=name,
                        names=names,
                    )
                    if noun == "learner"
                    else phrase(
                        "The operator {learner} has no hyperparameter {name!r}; it has: "
                        "{names}. Rename or remove that parameter of the space.",
                        learner=learner,
                        name=name,
                        names=names,
                    )
                )
        self._learner = learner
        self._given = dict(given)
        self._prefix = f"{learner}." if noun == "operator" else ""
        self.used: dict[str, Value] = {} if used is None else used

    def __contains__(self, name: str) -> bool:
        """Tell whether the configuration gives this hyperparameter a value."""
        return name in self._given

    def whole(self, name: str, default: int, low: int = 1, high: int | None = None) -> int:
        """Return a whole number of at least ``low``; one above ``high`` is clipped and recorded."""
        value = self._given.get(name, default)
        if isinstance(value, float) and value.is_integer():
            value = int(value)
        if isinstance(value, bool) or not isinstance(value, int) or value < low:
            raise self._wrong(name, f"a whole number of at least {low}", value)
        if high is not None and value > high:
            self.used[self._prefix + name] = value = high
        return value

    def number(self, name: str, default: float, high: float | None = None) -> float:
        """Return a finite number above 0; one above ``high`` is clipped and recorded."""
        value = self._finite(name, default, "a number above 0")
        if value <= 0:
            raise self._wrong(name, "a number above 0", value)
        return self._clipped(name, value, -math.inf, math.inf if high is None else high)

    def real(
        self, name: str, default: float, low: float = -math.inf, high: float = math.inf
    ) -> float:
        """Return a finite number; one outside ``low`` to ``high`` is clipped and recorded."""
        return self._clipped(name, self._finite(name, default, "a number"), low, high)

    def flag(self, name: str, default: bool, needed: bool | None = None) -> bool:
        """Return yes or no; where the data need one of the two, that one, and it is recorded."""
        value = self._given.get(name, default)
        if not isinstance(value, bool):
            raise self._wrong(name, "true or false", value)
        if needed is not None and value != needed:
            self.used[self._prefix + name] = value = needed
        return value

    def word(self, name: str, default: str, choices: Sequence[str]) -> str:
        """Return one of the words that the learner knows."""
        value = self._given.get(name, default)
        if value not in choices:
            raise self._wrong(name, "one of " + ", ".join(choices), value)
        return str(value)

    def rbf_gamma(self, default_width: float) -> float:
        """Return gamma of exp(-gamma ‖x-x′‖²) from ``gamma`` or from the kernel ``width`` τ.

        gamma = 1 / (2 τ²) (thesis 3.3); a space gives one of the two, not both.
        """
        if "gamma" in self and "width" in self:
            raise LearnerError(
                "The learner {learner} takes the kernel's width or its gamma, and the space "
                "gives both: remove one of the two parameters.",
                learner=self._learner,
            )
        if "gamma" in self:
            return self.number("gamma", 1.0)
        width = self.number("width", default_width)
        if not 1e-150 < width < 1e150:
            raise self._wrong("width", "a number from 1e-150 to 1e150", width)
        return 1.0 / (2.0 * width**2)

    def _finite(self, name: str, default: float, expected: str) -> float:
        value = self._given.get(name, default)
        if isinstance(value, bool) or not isinstance(value, int | float):
            raise self._wrong(name, expected, value)
        if not math.isfinite(value):
            raise self._wrong(name, expected, value)
        return float(value)

    def _clipped(self, name: str, value: float, low: float, high: float) -> float:
        inside = min(max(value, low), high)
        if inside != value:
            self.used[self._prefix + name] = inside
        return inside

    def _wrong(self, name: str, expected: str, value: object) -> LearnerError:
        return LearnerError(
            "{learner}.{name} must be {expected}; {value!r} was given. Change the range of "
            "that parameter of the space.",
            learner=self._learner,
            name=name,
            expected=expected,
            value=value,
        )
