"""Nets for unsound rewrites: every application of a pass compared, near misses asked blind."""
