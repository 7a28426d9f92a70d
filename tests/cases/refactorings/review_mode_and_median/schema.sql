CREATE TABLE reviews (
  review_id BIGINT NOT NULL,
  employee_id BIGINT NOT NULL,
  reviewer_id BIGINT,
  cycle STRING NOT NULL,
  rating INT,
  would_rehire BOOLEAN,
  PRIMARY KEY (review_id)
);

CREATE TABLE employees (
  employee_id BIGINT NOT NULL,
  full_name STRING NOT NULL,
  dept_id BIGINT,
  manager_id BIGINT,
  location_id BIGINT,
  hire_date DATE NOT NULL,
  term_date DATE,
  job_level INT,
  salary DECIMAL(12,2),
  PRIMARY KEY (employee_id)
);
