CREATE TABLE members (
  member_id BIGINT NOT NULL,
  age INT,
  sex STRING,
  postcode STRING,
  PRIMARY KEY (member_id)
);
CREATE TABLE treatments (
  treatment_id BIGINT NOT NULL,
  member_id BIGINT,
  code STRING,
  cost DECIMAL(10,2),
  PRIMARY KEY (treatment_id)
);
