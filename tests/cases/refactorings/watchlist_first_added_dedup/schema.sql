CREATE TABLE watchlist (
  user_id BIGINT NOT NULL,
  title_id BIGINT NOT NULL,
  added_on DATE,
  source STRING
);

CREATE TABLE users (
  user_id BIGINT NOT NULL,
  email STRING,
  country STRING,
  signup_date DATE NOT NULL,
  plan_id INT,
  PRIMARY KEY (user_id)
);

CREATE TABLE titles (
  title_id BIGINT NOT NULL,
  title_name STRING,
  title_type STRING,
  genres ARRAY<STRING>,
  release_year INT,
  studio_id BIGINT,
  PRIMARY KEY (title_id)
);

CREATE TABLE plays (
  play_id BIGINT NOT NULL,
  user_id BIGINT,
  title_id BIGINT,
  device STRING,
  started_at TIMESTAMP NOT NULL,
  watched_s INT,
  completed BOOLEAN,
  PRIMARY KEY (play_id)
);

CREATE TABLE ratings (
  user_id BIGINT NOT NULL,
  title_id BIGINT NOT NULL,
  stars INT,
  rated_on DATE NOT NULL,
  PRIMARY KEY (user_id, title_id)
);
