CREATE TABLE lab_results (
  result_id BIGINT NOT NULL,
  patient_id BIGINT,
  test_code STRING,
  result_value DECIMAL(10,2),
  flag STRING,
  resulted_at TIMESTAMP,
  PRIMARY KEY (result_id)
);

CREATE TABLE patients (
  patient_id BIGINT NOT NULL,
  first_name STRING,
  last_name STRING,
  birth_date DATE,
  sex STRING,
  state STRING,
  pcp_id BIGINT,
  PRIMARY KEY (patient_id)
);
