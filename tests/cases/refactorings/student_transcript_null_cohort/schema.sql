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

CREATE TABLE instructors (
  instructor_id BIGINT NOT NULL,
  instructor_name STRING,
  dept STRING,
  tenured BOOLEAN,
  PRIMARY KEY (instructor_id)
);

CREATE TABLE terms (
  term_id INT NOT NULL,
  term_name STRING NOT NULL,
  start_date DATE NOT NULL,
  end_date DATE NOT NULL,
  PRIMARY KEY (term_id)
);

CREATE TABLE enrollments (
  student_id BIGINT NOT NULL,
  course_id BIGINT NOT NULL,
  term_id INT NOT NULL,
  grade_points DECIMAL(3,1),
  status STRING,
  PRIMARY KEY (student_id, course_id, term_id)
);

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
