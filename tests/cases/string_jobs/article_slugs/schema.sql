CREATE TABLE articles (
  article_id BIGINT NOT NULL,
  title STRING,
  lang STRING,
  published_on DATE,
  PRIMARY KEY (article_id)
);
CREATE TABLE languages (
  lang STRING NOT NULL,
  language STRING,
  PRIMARY KEY (lang)
);
