"""How a trial is evaluated: on which rows it is trained and scored."""
