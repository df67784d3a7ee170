"""Established external searches as proposers: one file and one optional extra each."""
