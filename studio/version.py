"""The version of Ensemble Studio, stated once."""

VERSION = "0.2.0"
