CREATE TABLE enrollments (
  student_id BIGINT NOT NULL,
  course_id STRING NOT NULL,
  term STRING NOT NULL,
  grade DECIMAL(4,2),
  dropped BOOLEAN,
  PRIMARY KEY (student_id, course_id, term)
);
CREATE TABLE courses (
  course_id STRING NOT NULL,
  faculty STRING,
  credits INT,
  PRIMARY KEY (course_id)
);
