def build(spark):
    spark.sql(
        """
        SELECT submission_id, course_id, student_id, score, lower(tag) AS tag
        FROM submissions LATERAL VIEW explode(tags) x AS tag
        """
    ).createOrReplaceTempView("v_tagged")
    return spark.sql(
        """
        SELECT s.submission_id, s.student_id, c.course_title, i.instructor_name, s.score
        FROM submissions s
        JOIN courses c ON c.course_id = s.course_id
        LEFT JOIN instructors i ON i.instructor_id = c.instructor_id
        WHERE EXISTS (SELECT 1 FROM v_tagged t
                      WHERE t.submission_id = s.submission_id AND t.tag IN ('sql', 'dna'))
          AND s.submission_id NOT IN (SELECT submission_id FROM v_tagged WHERE tag = 'rna')
          AND s.score IN (SELECT 90 UNION ALL SELECT 88 UNION ALL SELECT 70 UNION ALL SELECT 45)
        """
    )
