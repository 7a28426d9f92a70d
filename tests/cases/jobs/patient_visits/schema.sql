CREATE TABLE visits (
  visit_id BIGINT NOT NULL,
  patient_id BIGINT NOT NULL,
  clinic STRING,
  visit_date DATE,
  diagnosis STRING,
  PRIMARY KEY (visit_id)
);
CREATE TABLE patients (
  patient_id BIGINT NOT NULL,
  birth_date DATE,
  sex STRING,
  PRIMARY KEY (patient_id)
);
CREATE TABLE diagnoses (
  code STRING NOT NULL,
  chapter STRING,
  PRIMARY KEY (code)
);
