# title: The repeated extractions become a loop over field names, filters move in front of the join and the two contains become one rlike.
# expect: equivalent
# why: same pattern and groups; moved filters read only the left side; rlike with a plain alternation finds the same substrings.

from pyspark.sql import functions as F

PATTERN = r"^(\S+) +([A-Za-z]+) +\[([^\]]*)\] +code=(\d*) +(.*)$"
FIELDS = ["logged_at", "level", "service", "code", "message"]


def parse(lines):
    fields = [F.regexp_extract("line", PATTERN, i).alias(f) for i, f in enumerate(FIELDS, 1)]
    return lines.select("line_no", "host", *fields)


def build(spark):
    errors = (
        parse(spark.table("log_lines"))
        .filter(F.upper(F.col("level")).isin("ERROR", "FATAL"))
        .filter(~F.lower(F.col("message")).like("healthcheck%"))
        .select(
            F.lower(F.trim("service")).alias("service"),
            F.col("logged_at").substr(1, 13).alias("hour"),
            F.col("code").try_cast("int").alias("status"),
            F.lower("message").rlike("timeout|timed out").alias("is_timeout"),
            F.concat_ws("#", "host", F.col("line_no").cast("string")).alias("line_key"),
        )
    )

    return (
        errors.join(spark.table("services"), "service", "left")
        .groupBy("hour", "service", "owner")
        .agg(
            F.count("*").alias("errors"),
            F.sum(F.col("is_timeout").cast("int")).alias("timeouts"),
            F.max("status").alias("max_status"),
            F.min("line_key").alias("sample"),
        )
    )
