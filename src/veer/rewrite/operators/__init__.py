"""Rules of a sweep: each writes the operators it is for anew, over what was written below them."""
