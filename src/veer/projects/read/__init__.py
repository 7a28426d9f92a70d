"""Projects of other tools: dbt, Spark Declarative Pipelines, SQLMesh: their models as SQL or functions."""
