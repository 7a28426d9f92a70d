from pyspark.sql import functions as F

PATTERN = r"^(\S+) +([A-Za-z]+) +\[([^\]]*)\] +code=(\d*) +(.*)$"


def build(spark):
    lines = spark.table("log_lines")
    services = spark.table("services")

    parsed = (
        lines.withColumn("logged_at", F.regexp_extract("line", PATTERN, 1))
        .withColumn("level", F.regexp_extract("line", PATTERN, 2))
        .withColumn("service", F.regexp_extract("line", PATTERN, 3))
        .withColumn("code", F.regexp_extract("line", PATTERN, 4))
        .withColumn("message", F.regexp_extract("line", PATTERN, 5))
        .withColumn("level", F.upper(F.col("level")))
        .withColumn("service", F.lower(F.trim(F.col("service"))))
        .withColumn("hour", F.substring("logged_at", 1, 13))
        .withColumn("status", F.expr("try_cast(code AS INT)"))
        .withColumn("message", F.lower(F.col("message")))
        .withColumn(
            "is_timeout",
            F.col("message").contains("timeout") | F.col("message").contains("timed out"),
        )
    )
    owned = (
        parsed.join(services, "service", "left")
        .filter((F.col("level") == "ERROR") | (F.col("level") == "FATAL"))
        .filter(~F.col("message").startswith("healthcheck"))
    )

    return owned.groupBy("hour", "service", "owner").agg(
        F.count("*").alias("errors"),
        F.sum(F.when(F.col("is_timeout"), 1).otherwise(0)).alias("timeouts"),
        F.max("status").alias("max_status"),
        F.min(F.concat(F.col("host"), F.lit("#"), F.col("line_no"))).alias("sample"),
    )
