from pyspark.sql import Window, functions as F


def build(spark, field_start="2024-03-01 00:00:00", field_end="2024-04-01 00:00:00"):
    responses = (
        spark.table("survey_responses")
        .filter((F.col("submitted_at") >= field_start) & (F.col("submitted_at") < field_end))
        .withColumn("answer", F.lower(F.trim("answer")))
        .withColumn("answer", F.when(F.col("answer") != "", F.col("answer")))
    )
    w = Window.partitionBy("respondent_id", "question").orderBy(
        F.col("submitted_at").desc(), F.col("response_id").desc()
    )
    latest = responses.withColumn("rn", F.row_number().over(w)).filter(F.col("rn") == 1).drop("rn")
    answered = latest.filter(F.col("answer").isNotNull() & (F.col("answer") != "refused"))
    persons = spark.table("persons").select("person_id", "municipality_code")
    mun = spark.table("municipalities").select("municipality_code", "region_code")
    return (
        answered.join(persons, answered.respondent_id == persons.person_id)
        .join(mun, "municipality_code", "left")
        .groupBy("question", "region_code", "answer")
        .agg(F.count("*").alias("n_answers"), F.max("submitted_at").alias("last_answer_at"))
    )
