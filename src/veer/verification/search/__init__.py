"""The search for proofs; `verification/proof/` checks every proof before it is used.

`sink_prover` looks for a proof about one pair of sinks by the strategy asked for: `sweep`, Veer's
own, or those of the paper (`paper/`). So a mistake here costs a proof and never a verdict.
"""
