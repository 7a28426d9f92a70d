def build(spark):
    covered = spark.table("coverage").select("payer_id")
    billed = spark.table("encounters").select("payer_id")
    idle = covered.subtract(billed)
    return idle.join(spark.table("payers"), "payer_id", "left").select(
        "payer_id", "payer_name", "plan_type"
    )
