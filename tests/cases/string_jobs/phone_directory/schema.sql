CREATE TABLE contacts (
  contact_id BIGINT NOT NULL,
  phone STRING,
  country STRING,
  kind STRING,
  PRIMARY KEY (contact_id)
);
CREATE TABLE dial_codes (
  country STRING NOT NULL,
  prefix STRING NOT NULL,
  PRIMARY KEY (country)
);
