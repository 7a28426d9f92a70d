"""Texera's workflows."""
