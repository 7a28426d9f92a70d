# title: The risk function is replaced by a when expression.
# expect: equivalent

from pyspark.sql import functions as F

WATCHED = ("KP", "IR", "SY")


def risk(amount_cents, country):
    large = amount_cents >= 1000000
    return (
        F.when(amount_cents.isNull(), "unknown")
        .when(country.isin(*WATCHED) | (large & country.isNull()), "high")
        .when(large, "medium")
        .otherwise("low")
    )


def build(spark, day: str = "2024-04-02"):
    txns = spark.table("transactions").filter(F.to_date("booked_at") == F.lit(day).cast("date"))
    accounts = spark.table("accounts").filter(F.col("status") == "open")

    scored = (
        txns.join(accounts, "account_id")
        .withColumn("risk", risk(F.col("amount_cents"), F.col("country")))
        .withColumn("is_abroad", ~F.col("country").eqNullSafe(F.col("home_country")))
    )
    flagged = scored.filter((F.col("risk") == "high") | F.col("is_abroad"))
    summary = scored.groupBy("account_id", "risk").agg(
        F.count("*").alias("transactions"),
        F.sum("amount_cents").alias("amount_cents"),
        F.max("booked_at").alias("last_booked_at"),
    )
    return {
        "flagged": flagged.select("txn_id", "account_id", "amount_cents", "risk", "is_abroad"),
        "summary": summary,
    }
