def build(spark):
    return spark.sql(
        """
        SELECT e.employee_id, e.full_name, l.city,
               (SELECT count(*) FROM bonuses b WHERE b.employee_id = e.employee_id) AS n_bonuses
        FROM employees e
        LEFT JOIN locations l USING (location_id)
        WHERE e.employee_id IN (SELECT r.employee_id FROM reviews r WHERE r.rating >= 4)
          AND e.employee_id NOT IN (SELECT b.employee_id FROM bonuses b WHERE b.reason = 'spot')
          AND (SELECT count(*) FROM reviews r2
               WHERE r2.employee_id = e.employee_id AND r2.rating IS NULL) = 0
        """
    )
