"""Workflows, macros and apps of Alteryx Designer (.yxmd, .yxmc, .yxwz)."""
