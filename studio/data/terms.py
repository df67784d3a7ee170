"""Words and word pairs of a text column, weighted by TF-IDF.

The weight of a term in a text is its frequency times its inverse document frequency, 1 + ln((1 + n)
/ (1 + n_t)) where n_t of n texts contain it; the weights of a text are normalised to unit length
(as by scikit-learn's ``TfidfTransformer``). Texts are converted to weights by stateless
scikit-learn objects, here and in an exported model.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from studio.arrays import Floats, Integers

MAX_TERMS = 100
"""Maximum number of terms of a text column."""

_MIN_TEXTS, _SHARE_OF_TEXTS = 3, 0.005  # minimum frequency of a useful term

COUNTER_OPTIONS: Mapping[str, Any] = {"ngram_range": (1, 2), "strip_accents": "unicode"}
"""Settings of scikit-learn's ``CountVectorizer`` for words and word pairs."""


@dataclass(frozen=True)
class Terms:
    """The words and pairs of words, in lower case, that represent a text column, and their idf."""

    words: tuple[str, ...]
    idf: tuple[float, ...]

    @classmethod
    def from_texts(cls, texts: Sequence[str], counts: Integers) -> "Terms":
        """Select the terms of distinct texts, (k,), with their numbers of rows, counts (k,).

        Selects those with the largest sum of frequency times ln(n / n_t): neither rare nor in
        nearly all texts. There may be fewer than :data:`MAX_TERMS`, or none.
        """
        from sklearn.feature_extraction.text import CountVectorizer

        n_texts = int(counts.sum())
        min_texts = max(_MIN_TEXTS, int(np.ceil(_SHARE_OF_TEXTS * n_texts)))
        vectorizer = CountVectorizer(**COUNTER_OPTIONS, binary=True, dtype=np.int64)
        try:
            term_counts = vectorizer.fit_transform(texts)
        except ValueError:  # if there are no words
            return cls((), ())
        frequency = counts @ term_counts
        frequent = np.flatnonzero(frequency >= min_texts)
        importance = frequency[frequent] * np.log(n_texts / frequency[frequent])
        frequent = frequent[importance > 0]
        importance = importance[importance > 0]
        selected = frequent[np.argsort(-importance, kind="stable")[:MAX_TERMS]]
        words = vectorizer.get_feature_names_out()[selected]
        order = np.argsort(words)
        idf = 1.0 + np.log((1.0 + n_texts) / (1.0 + frequency[selected]))
        return cls(tuple(map(str, words[order])), tuple(map(float, idf[order])))

    def get_part(self, index: int) -> "TermPart":
        """Return the column part for a term's weights; raise IndexError if there is none."""
        if not 0 <= index < len(self.words):
            raise IndexError(f"there is no term {index}")
        return TermPart(self, index)

    def make_pipeline_steps(self) -> list[Any]:
        """Return the scikit-learn steps from non-missing texts to weights (n, t)."""
        from scipy.sparse import csr_matrix
        from sklearn.feature_extraction.text import CountVectorizer
        from sklearn.preprocessing import FunctionTransformer, Normalizer

        matrix: Any = csr_matrix

        def make_transformer(method: Any, **arguments: Any) -> Any:
            return FunctionTransformer(method, kw_args=arguments, accept_sparse=True)

        return [
            CountVectorizer(vocabulary=list(self.words), dtype=np.float64, **COUNTER_OPTIONS),
            make_transformer(matrix.multiply, other=np.array([self.idf])),
            make_transformer(matrix),
            Normalizer(),
            make_transformer(matrix.toarray),
        ]

    def compute_weights(self, texts: Sequence[str]) -> Floats:
        """Return the weights of texts, shape (k, t)."""
        from sklearn.pipeline import make_pipeline

        if not len(texts):
            return np.zeros((0, len(self.words)))
        text_weights: Floats = make_pipeline(*self.make_pipeline_steps()).fit_transform(list(texts))
        return text_weights


def load_terms(content: Mapping[str, Any]) -> Terms:
    """Return stored terms; raise KeyError, TypeError or ValueError for anything else."""
    terms = Terms(tuple(map(str, content["words"])), tuple(map(float, content["idf"])))
    if not len(terms.words) == len(terms.idf) == len({*terms.words}):
        raise ValueError("terms without a weight, or twice")
    return terms


@dataclass(frozen=True)
class TermPart:
    """A term of a text column, by its index."""

    terms: Terms
    index: int

    @property
    def term(self) -> str:
        """The term."""
        return self.terms.words[self.index]
