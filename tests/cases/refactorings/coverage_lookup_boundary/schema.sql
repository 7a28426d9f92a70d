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

CREATE TABLE coverage (
  patient_id BIGINT NOT NULL,
  valid_from DATE NOT NULL,
  valid_to DATE,
  payer_id BIGINT NOT NULL,
  tier STRING,
  PRIMARY KEY (patient_id, valid_from)
);

CREATE TABLE payers (
  payer_id BIGINT NOT NULL,
  payer_name STRING,
  plan_type STRING,
  PRIMARY KEY (payer_id)
);
