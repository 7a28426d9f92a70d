CREATE TABLE subscribers (
  subscriber_id BIGINT NOT NULL,
  email STRING,
  full_name STRING,
  opted_in BOOLEAN,
  signed_up_on DATE,
  PRIMARY KEY (subscriber_id)
);
CREATE TABLE mail_domains (
  domain STRING NOT NULL,
  provider STRING,
  is_disposable BOOLEAN,
  PRIMARY KEY (domain)
);
