"""Stock widgets of ours: fields, tables, cards and folds, which know nothing of runs."""
