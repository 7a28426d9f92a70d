def build(spark):
    spark.table("employees").createOrReplaceTempView("v_people")
    return spark.sql(
        """
        SELECT m.employee_id, m.full_name, m.salary, d.division
        FROM v_people m
        LEFT JOIN departments d ON d.dept_id = m.dept_id
        WHERE m.job_level >= 4
          AND NOT EXISTS (
              SELECT 1 FROM v_people r
              WHERE r.manager_id = m.employee_id AND r.salary > m.salary
          )
        """
    )
