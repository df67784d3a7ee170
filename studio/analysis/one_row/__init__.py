"""Explanation of one row: its prediction, uncertainty, reasons and counterfactuals."""
