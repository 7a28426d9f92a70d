# title: bit_or / bit_and masks tested afterwards against bool_or / every per bit (nulls are ignored by both, all-null groups stay null).
# expect: equivalent
# kind: bit aggregates
RIGHTS = {"can_admin": ("bool_or", 4), "reads_everywhere": ("every", 1)}


def build(spark):
    bits = ",\n".join(
        f"{fn}((g.rights_mask & {bit}) <> 0) AS {name}" for name, (fn, bit) in RIGHTS.items()
    )
    return spark.sql(
        f"""
        WITH per_employee AS (
            SELECT g.employee_id,
                   {bits},
                   bool_and(g.is_active) AS all_active,
                   some(g.is_active) AS some_active,
                   count(1) AS grants
            FROM access_grants g
            GROUP BY g.employee_id
        )
        SELECT e.employee_id, e.full_name, p.can_admin, p.reads_everywhere,
               p.all_active, p.some_active, nvl(p.grants, 0) AS grants, d.dept_name
        FROM per_employee p
        RIGHT JOIN employees e ON p.employee_id = e.employee_id
        LEFT JOIN departments d ON d.dept_id = e.dept_id
        """
    )
