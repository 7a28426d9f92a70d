CREATE TABLE submissions (
  submission_id BIGINT NOT NULL,
  student_id BIGINT NOT NULL,
  course_id BIGINT NOT NULL,
  submitted_at TIMESTAMP NOT NULL,
  score INT,
  is_late BOOLEAN,
  tags ARRAY<STRING>,
  PRIMARY KEY (submission_id)
);

CREATE TABLE students (
  student_id BIGINT NOT NULL,
  student_name STRING,
  email STRING,
  program STRING,
  cohort_year INT,
  advisor_id BIGINT,
  PRIMARY KEY (student_id)
);

CREATE TABLE courses (
  course_id BIGINT NOT NULL,
  course_title STRING,
  dept STRING,
  credits INT,
  instructor_id BIGINT,
  PRIMARY KEY (course_id)
);
