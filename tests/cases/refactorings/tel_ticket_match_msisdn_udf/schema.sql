CREATE TABLE tickets (
  ticket_id BIGINT NOT NULL,
  contact_number STRING,
  opened_at TIMESTAMP NOT NULL,
  closed_at TIMESTAMP,
  category STRING,
  PRIMARY KEY (ticket_id)
);

CREATE TABLE subscribers (
  msisdn STRING NOT NULL,
  customer_id BIGINT,
  plan_code STRING,
  segment STRING,
  activated_on DATE NOT NULL,
  deactivated_on DATE,
  PRIMARY KEY (msisdn)
);
