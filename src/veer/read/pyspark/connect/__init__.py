"""DataFrames of Spark Connect to dataflows: the client's plans, resolved as Spark would."""
