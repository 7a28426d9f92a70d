CREATE TABLE alerts (
  alert_id BIGINT NOT NULL,
  device_id STRING NOT NULL,
  raised_at TIMESTAMP NOT NULL,
  cleared_at TIMESTAMP,
  severity STRING,
  code STRING,
  PRIMARY KEY (alert_id)
);

CREATE TABLE devices (
  device_id STRING NOT NULL,
  site_id INT,
  model STRING,
  firmware STRING,
  installed_on DATE,
  PRIMARY KEY (device_id)
);

CREATE TABLE sites (
  site_id INT NOT NULL,
  site_name STRING,
  region STRING,
  PRIMARY KEY (site_id)
);
