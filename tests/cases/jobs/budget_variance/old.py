from pyspark.sql import functions as F
from pyspark.sql.functions import col


def build(spark, year: int = 2024):
    actuals = (
        spark.table("bookings")
        .filter(F.year("booked_on") == year)
        .filter(~col("account").startswith("9") | col("account").isNull())
        .withColumn("quarter", F.quarter("booked_on"))
        .withColumn("amount", F.coalesce(col("amount"), F.lit(0)))
        .groupBy("cost_center", "quarter")
        .agg(F.sum("amount").alias("actual"), F.count("*").alias("bookings"))
    )
    budgets = spark.table("budgets").filter(col("budget") > 0)

    variance = (
        budgets.join(actuals, ["cost_center", "quarter"])
        .withColumn("variance", col("budget") - col("actual"))
        .withColumn("over_budget", col("actual") > col("budget"))
        .withColumn("period", F.concat_ws("-Q", F.lit(year).cast("string"), col("quarter")))
        .select("cost_center", "period", "budget", "actual", "bookings", "variance", "over_budget")
    )
    variance.write.mode("append").insertInto("finance.budget_variance")
