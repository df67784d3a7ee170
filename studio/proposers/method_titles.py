"""Names of the methods for people who do not know those of the papers."""

from studio.phrases import phrase

_TITLES = {
    "best": phrase("Best result"),
    "RS": phrase("Random search"),
    "RS-post": phrase("Random search, small ensemble"),
    "RS-ES": phrase("Random search, ensemble"),
    "ERS": phrase("Random search, Bayesian ensemble"),
    "grid": phrase("Grid search"),
    "sobol": phrase("Evenly spread search"),
    "SMBO": phrase("Model-based search"),
    "ESMBO": phrase("Bootstrapped ensemble search"),
    "BO-best": phrase("Bayesian search"),
    "BO-post": phrase("Bayesian search, ensemble"),
    "EO-sqm": phrase("Ensemble search, squared margin"),
    "EO-C": phrase("Ensemble search, C-bound"),
    "EO-sig": phrase("Ensemble search, sigmoid"),
    "EO-post": phrase("Ensemble search, rebuilt"),
    "EO-mse": phrase("Ensemble search for numbers"),
    "CMA-best": phrase("Evolution (CMA-ES)"),
    "gp": phrase("Bayesian search, Matérn"),
    "gp-sel": phrase("Bayesian search, separate choice"),
    "gp-pm": phrase("Bayesian search, predicted best"),
    "cma": phrase("Evolution strategy"),
    "cma-pv": phrase("Evolution, last population"),
    "cma-bw": phrase("Evolution, backwarding"),
    "cma-gv": phrase("Evolution, all populations"),
    "Spearmint": "Spearmint",
    "SMAC": "SMAC",
    "GP-matern-noimpute": phrase("Gaussian process, plain"),
    "GP-matern": phrase("Gaussian process, Matérn"),
    "GP-cond": phrase("Gaussian process by branch"),
    "GP-laplace": phrase("Gaussian process, rough kernel"),
    "BO": phrase("Forest-guided search"),
    "BO-ES": phrase("Forest-guided search, ensemble"),
    "DivBO": phrase("Diverse search, ensemble"),
    "DivBO-fixed": phrase("Diverse search, fixed weight"),
    "DivBO-": phrase("Diverse search"),
    "RB": phrase("Race of algorithms"),
    "RB-ES": phrase("Race of algorithms, ensemble"),
    "kBO-ES": phrase("Equal shares for algorithms"),
    "NES": phrase("Evolved ensemble"),
    "optuna": "Optuna (TPE)",
    "optuna-gp": phrase("Optuna (Gaussian process)"),
}


def get_method_title(key: str) -> str:
    """Return a method's name for people; empty for methods of the user."""
    base = key.removesuffix("-r").removesuffix("-ls")
    title = _TITLES.get(base, "")
    if not title or base == key:
        return title
    if key.endswith("-r"):
        return phrase("{method}, new splits", method=title)
    return phrase("{method}, local search", method=title)
