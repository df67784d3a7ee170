"""Dataset shift: do new rows differ from the training rows? Tests by column and overall."""
