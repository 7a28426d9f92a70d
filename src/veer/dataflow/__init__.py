"""The dataflow: types, schemas, expressions, operators and the DAG they form."""
