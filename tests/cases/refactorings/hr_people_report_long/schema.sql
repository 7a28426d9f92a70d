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

CREATE TABLE locations (
  location_id BIGINT NOT NULL,
  city STRING,
  country STRING,
  PRIMARY KEY (location_id)
);

CREATE TABLE salary_history (
  employee_id BIGINT NOT NULL,
  effective_from DATE NOT NULL,
  effective_to DATE,
  amount DECIMAL(12,2),
  PRIMARY KEY (employee_id, effective_from)
);

CREATE TABLE bonuses (
  bonus_id BIGINT NOT NULL,
  employee_id BIGINT NOT NULL,
  paid_on DATE NOT NULL,
  bonus_amount DECIMAL(12,2),
  reason STRING,
  PRIMARY KEY (bonus_id)
);

CREATE TABLE reviews (
  review_id BIGINT NOT NULL,
  employee_id BIGINT NOT NULL,
  reviewer_id BIGINT,
  cycle STRING NOT NULL,
  rating INT,
  would_rehire BOOLEAN,
  PRIMARY KEY (review_id)
);

CREATE TABLE access_grants (
  grant_id BIGINT NOT NULL,
  employee_id BIGINT NOT NULL,
  system_code STRING NOT NULL,
  rights_mask INT,
  is_active BOOLEAN,
  PRIMARY KEY (grant_id)
);
