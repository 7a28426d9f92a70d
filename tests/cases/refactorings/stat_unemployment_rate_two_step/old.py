def build(spark, min_age=15, max_age=74, ref_year=2024):
    spark.sql(
        f"""
        SELECT p.person_id, m.region_code, p.municipality_code,
               CASE WHEN p.employment_status = 'UNEMPLOYED' THEN 100 ELSE 0 END AS unemployed_pct
        FROM persons p JOIN municipalities m ON m.municipality_code = p.municipality_code
        WHERE p.employment_status IN ('EMPLOYED', 'UNEMPLOYED')
          AND {ref_year} - YEAR(p.birth_date) BETWEEN {min_age} AND {max_age}
        """
    ).createOrReplaceTempView("labour_force")
    return spark.sql(
        """
        SELECT region_code, COUNT(*) AS labour_force, COUNT(DISTINCT municipality_code) AS municipalities,
               ROUND(AVG(unemployed_pct), 1) AS unemployment_rate
        FROM labour_force
        GROUP BY region_code
        """
    )
