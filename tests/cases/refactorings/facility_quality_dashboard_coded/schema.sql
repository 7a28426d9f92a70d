CREATE TABLE encounters (
  encounter_id BIGINT NOT NULL,
  patient_id BIGINT,
  provider_id BIGINT,
  facility_id BIGINT NOT NULL,
  payer_id BIGINT,
  admit_date DATE NOT NULL,
  discharge_date DATE,
  encounter_type STRING,
  total_charge DECIMAL(12,2),
  PRIMARY KEY (encounter_id)
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

CREATE TABLE providers (
  provider_id BIGINT NOT NULL,
  provider_name STRING,
  specialty STRING,
  home_facility_id BIGINT,
  PRIMARY KEY (provider_id)
);

CREATE TABLE facilities (
  facility_id BIGINT NOT NULL,
  facility_name STRING,
  region STRING,
  is_teaching BOOLEAN,
  PRIMARY KEY (facility_id)
);

CREATE TABLE payers (
  payer_id BIGINT NOT NULL,
  payer_name STRING,
  plan_type STRING,
  PRIMARY KEY (payer_id)
);

CREATE TABLE diagnoses (
  encounter_id BIGINT NOT NULL,
  seq_no INT NOT NULL,
  icd_code STRING,
  PRIMARY KEY (encounter_id, seq_no)
);

CREATE TABLE coverage (
  patient_id BIGINT NOT NULL,
  valid_from DATE NOT NULL,
  valid_to DATE,
  payer_id BIGINT NOT NULL,
  tier STRING,
  PRIMARY KEY (patient_id, valid_from)
);
