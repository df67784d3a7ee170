from studio.data.missing import MISSING_TOKENS, NUMBER_FILLERS, PANDAS_TOKENS


def test_the_tokens_are_exactly_those_of_pandas():
    from pandas._libs.parsers import STR_NA_VALUES

    assert set(PANDAS_TOKENS) == STR_NA_VALUES


def test_only_the_question_mark_is_added():
    assert MISSING_TOKENS - set(PANDAS_TOKENS) == {"?"}
    assert not NUMBER_FILLERS & MISSING_TOKENS
