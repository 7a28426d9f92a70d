CREATE TABLE patient_profiles (
  patient_id BIGINT NOT NULL,
  allergies ARRAY<STRING>,
  contact STRUCT<phone: STRING, email: STRING>,
  flags MAP<STRING, STRING>,
  PRIMARY KEY (patient_id)
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
