CREATE TABLE page_views (
  session_id STRING NOT NULL,
  user_id BIGINT,
  url STRING,
  status INT,
  viewed_at TIMESTAMP,
  duration_ms BIGINT
);
CREATE TABLE users (
  user_id BIGINT NOT NULL,
  country STRING,
  is_bot BOOLEAN NOT NULL,
  PRIMARY KEY (user_id)
);
