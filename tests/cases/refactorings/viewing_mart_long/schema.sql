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

CREATE TABLE users (
  user_id BIGINT NOT NULL,
  email STRING,
  country STRING,
  signup_date DATE NOT NULL,
  plan_id INT,
  PRIMARY KEY (user_id)
);

CREATE TABLE plans (
  plan_id INT NOT NULL,
  plan_name STRING NOT NULL,
  monthly_price DECIMAL(6,2) NOT NULL,
  max_devices INT,
  PRIMARY KEY (plan_id)
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

CREATE TABLE studios (
  studio_id BIGINT NOT NULL,
  studio_name STRING,
  country STRING,
  PRIMARY KEY (studio_id)
);

CREATE TABLE ratings (
  user_id BIGINT NOT NULL,
  title_id BIGINT NOT NULL,
  stars INT,
  rated_on DATE NOT NULL,
  PRIMARY KEY (user_id, title_id)
);

CREATE TABLE subscriptions (
  user_id BIGINT NOT NULL,
  start_date DATE NOT NULL,
  end_date DATE,
  plan_id INT NOT NULL,
  auto_renew BOOLEAN,
  PRIMARY KEY (user_id, start_date)
);
