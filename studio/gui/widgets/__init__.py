"""Generic widgets: fields, tables, cards and folds, independent of runs."""
