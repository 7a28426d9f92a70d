def build(spark):
    return spark.sql(
        """
        SELECT e.employee_id, e.full_name, d.dept_name, e.salary
        FROM employees e
        JOIN departments d ON d.dept_id = e.dept_id
        WHERE e.salary IS NOT NULL
          AND NOT EXISTS (
              SELECT 1 FROM employees o
              WHERE o.dept_id = e.dept_id
                AND (o.salary > e.salary OR o.salary IS NULL)
          )
        """
    )
