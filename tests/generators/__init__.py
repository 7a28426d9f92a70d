"""Seeded random values, tables, expressions and queries."""
