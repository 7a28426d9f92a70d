"""Commands for those who work on Veer: pages made from the code, figures about the code."""
