"""Sixty jobs of two companies, and edits of them, written by people who had not seen Veer."""
