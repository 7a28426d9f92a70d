def build(spark):
    covered = spark.table("coverage").select("payer_id")
    billed = spark.table("encounters").select("payer_id")
    payers = spark.table("payers")
    idle = covered.subtract(billed).join(payers, "payer_id", "left")
    active = covered.intersect(billed).join(payers, "payer_id", "left")
    return {
        "idle": idle.select("payer_id", "payer_name", "plan_type"),
        "active": active.select("payer_id", "payer_name", "plan_type"),
    }
