CREATE TABLE app_logs (
  host STRING NOT NULL,
  service STRING,
  level STRING,
  message STRING,
  logged_at TIMESTAMP NOT NULL,
  response_ms INT
);
