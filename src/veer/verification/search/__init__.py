"""Looking for proofs: what is found here is checked by `verification/proof/` before anybody relies on it.

`sink_prover` looks for a proof about one pair of sinks by the strategy asked for: `sweep`, Veer's
own, or those of the paper (`paper/`). So a mistake here costs a proof and never a verdict.
"""
