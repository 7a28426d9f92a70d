CREATE TABLE plants (
  plant_id INT NOT NULL,
  fuel STRING,
  region STRING,
  owner STRING,
  PRIMARY KEY (plant_id)
);

CREATE TABLE generation (
  plant_id INT NOT NULL,
  hour_ts TIMESTAMP NOT NULL,
  mwh DECIMAL(12,3) NOT NULL,
  curtailed DECIMAL(12,3) NOT NULL,
  forecast DECIMAL(12,3),
  PRIMARY KEY (plant_id, hour_ts)
);
