# title: Nobody else in the department is paid more or has an unknown salary: NOT EXISTS with explicit null test against window max plus count of null salaries (departments null or not compared by =).
# expect: equivalent
# kind: not exists vs window
from pyspark.sql import Window, functions as F


def build(spark):
    in_dept = Window.partitionBy("dept_id")
    ranked = (
        spark.table("employees")
        .withColumn("dept_max", F.max("salary").over(in_dept))
        .withColumn("unknown", F.count_if(F.col("salary").isNull()).over(in_dept))
    )
    top = ranked.filter((F.col("salary") == F.col("dept_max")) & (F.col("unknown") == 0))
    return top.join(spark.table("departments"), "dept_id").select(
        "employee_id", "full_name", "dept_name", "salary"
    )
