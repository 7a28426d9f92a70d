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

CREATE TABLE departments (
  dept_id BIGINT NOT NULL,
  dept_name STRING,
  division STRING,
  head_id BIGINT,
  budget DECIMAL(14,2),
  PRIMARY KEY (dept_id)
);
