CREATE TABLE crm_contacts (
  contact_id BIGINT NOT NULL,
  email STRING,
  phone STRING,
  city STRING,
  PRIMARY KEY (contact_id)
);
CREATE TABLE erp_contacts (
  contact_id BIGINT NOT NULL,
  email STRING,
  phone STRING,
  city STRING,
  PRIMARY KEY (contact_id)
);
CREATE TABLE do_not_contact (
  email STRING NOT NULL
);
