def build(spark):
    return spark.sql(
        """
        SELECT b.bonus_id, e.full_name, d.dept_name, b.paid_on, b.bonus_amount, s.amount AS base_salary,
               CASE WHEN s.amount IS NULL THEN 'NO SALARY'
                    WHEN b.bonus_amount > s.amount * 0.02 THEN 'HIGH'
                    ELSE 'NORMAL' END AS band
        FROM bonuses b
        JOIN employees e ON e.employee_id = b.employee_id
        LEFT JOIN departments d ON d.dept_id = e.dept_id
        LEFT JOIN salary_history s
          ON s.employee_id = b.employee_id
         AND b.paid_on >= s.effective_from
         AND (b.paid_on < s.effective_to OR s.effective_to IS NULL)
        WHERE b.reason = 'annual' OR b.reason = 'spot'
        """
    )
