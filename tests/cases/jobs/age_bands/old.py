from pyspark.sql import functions as F
from pyspark.sql.functions import udf


@udf("string")
def age_band(age):
    if age is None or age < 0:
        return "unknown"
    if age < 18:
        return "child"
    if age < 65:
        return "adult"
    return "senior"


clean_code = udf(lambda s: s.strip().upper() if s else None, "string")


def build(spark):
    members = (
        spark.table("members")
        .withColumn("band", age_band("age"))
        .withColumn("area", F.substring("postcode", 1, 2))
        .filter(F.col("sex").isin("f", "m"))
    )
    treatments = (
        spark.table("treatments")
        .withColumn("code", clean_code("code"))
        .filter(F.col("code").isNotNull() & (F.col("cost") > 0))
    )

    costs = treatments.groupBy("member_id").agg(
        F.sum("cost").alias("cost"), F.countDistinct("code").alias("codes")
    )
    return (
        members.join(costs, "member_id", "left")
        .withColumn("cost", F.coalesce(F.col("cost"), F.lit(0)))
        .groupBy("band", "area", "sex")
        .agg(
            F.count("*").alias("members"),
            F.sum("cost").alias("cost"),
            F.max("codes").alias("max_codes"),
        )
    )
