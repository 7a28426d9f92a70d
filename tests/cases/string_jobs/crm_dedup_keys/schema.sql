CREATE TABLE crm_people (
  person_id BIGINT NOT NULL,
  first_name STRING,
  last_name STRING,
  city STRING,
  birth_date DATE,
  updated_on DATE,
  PRIMARY KEY (person_id)
);
