# title: SQL UNION (distinct) replaces unionByName of people lists: two workers with the same name in the same department collapse into one.
# expect: inequivalent
# kind: union vs distinct
def build(spark):
    spark.sql(
        """
        SELECT full_name, dept_id FROM employees WHERE term_date IS NULL
        UNION
        SELECT full_name, dept_id FROM contractors
        """
    ).createOrReplaceTempView("v_workers")
    return spark.sql(
        """
        SELECT coalesce(d.dept_name, '(unassigned)') AS dept_name,
               count(*) AS workers,
               min(w.full_name) AS first_by_name
        FROM v_workers w
        LEFT JOIN departments d ON w.dept_id = d.dept_id
        GROUP BY coalesce(d.dept_name, '(unassigned)')
        """
    )
