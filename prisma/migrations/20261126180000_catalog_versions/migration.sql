-- Earlier versions have no row: their files were not kept.
CREATE TABLE catalog_version (
    version integer NOT NULL,
    applied_at timestamptz(6) NOT NULL,
    applied_by text NOT NULL,
    file text NOT NULL,
    CONSTRAINT catalog_version_pkey PRIMARY KEY (version)
);
CREATE UNIQUE INDEX catalog_version_applied_at_key ON catalog_version (applied_at);
