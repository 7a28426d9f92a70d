CREATE TABLE survey_responses (
  response_id BIGINT NOT NULL,
  respondent_id BIGINT NOT NULL,
  question STRING NOT NULL,
  answer STRING,
  submitted_at TIMESTAMP NOT NULL,
  wave INT,
  PRIMARY KEY (response_id)
);

CREATE TABLE persons (
  person_id BIGINT NOT NULL,
  birth_date DATE,
  sex STRING,
  municipality_code STRING,
  household_id BIGINT,
  employment_status STRING,
  income DECIMAL(12,2),
  PRIMARY KEY (person_id)
);

CREATE TABLE municipalities (
  municipality_code STRING NOT NULL,
  municipality_name STRING,
  region_code STRING,
  area_km2 DECIMAL(10,2),
  PRIMARY KEY (municipality_code)
);
