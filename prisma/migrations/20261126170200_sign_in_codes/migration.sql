CREATE TABLE sign_in_code (
    link_id uuid NOT NULL,
    browser_sha256 bytea NOT NULL,
    code_sha256 bytea NOT NULL,
    attempts smallint NOT NULL DEFAULT 0,
    CONSTRAINT sign_in_code_pkey PRIMARY KEY (link_id),
    CONSTRAINT sign_in_code_link_id_fkey
      FOREIGN KEY (link_id) REFERENCES sign_in_link(id) ON UPDATE CASCADE ON DELETE CASCADE
);
CREATE INDEX sign_in_code_browser_sha256_idx ON sign_in_code (browser_sha256);

ALTER TABLE mail ADD COLUMN browser_sha256 bytea;
