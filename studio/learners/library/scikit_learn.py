"""scikit-learn: parameters by ``get_params``, their values by the constraints of ``fit``."""

from collections.abc import Iterator
from dataclasses import dataclass
from numbers import Integral
from typing import Any

from studio.learners.domains import Domain, Flag, Span, Text, WholeSpan, Word
from studio.learners.library.base import NOTHING, LibrarySettings, either, holder_of


@dataclass(frozen=True)
class _ScikitLearn(LibrarySettings):
    """Estimators whose class says what each parameter takes."""

    def takes(self, name: str, estimator: Any) -> Domain:
        """Return what the constraints of a parameter allow, an inner estimator's among them."""
        holder, own = holder_of(name, estimator)
        known = getattr(type(holder), "_parameter_constraints", {})
        found = [each for rule in known.get(own, ()) for each in _domains(rule)]
        return either(*found) if found else super().takes(name, estimator)


def _domains(rule: Any) -> Iterator[Domain]:
    """Yield what one constraint allows of plain values."""
    from sklearn.utils._param_validation import Interval, StrOptions

    if rule is None:
        yield Word(NOTHING)
    elif rule in ("boolean", "verbose"):
        yield Flag()
    elif isinstance(rule, StrOptions):
        yield Word(*sorted(rule.options - rule.deprecated))
    elif isinstance(rule, Interval):
        make = WholeSpan if issubclass(rule.type, Integral) else Span
        low = float("-inf") if rule.left is None else float(rule.left)
        high = float("inf") if rule.right is None else float(rule.right)
        above, below = rule.closed in ("right", "neither"), rule.closed in ("left", "neither")
        yield make(low, high, above, below)
    elif rule is Integral:
        yield WholeSpan()
    elif rule is str:
        yield Text()


SCIKIT_LEARN = _ScikitLearn("scikit-learn")
