"""Bundled scenarios: short, complete scripts that ``simcore run NAME`` finds."""
