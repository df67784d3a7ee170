"""Are new rows unlike the ones that were learned from? Tests of each column and of the whole."""
