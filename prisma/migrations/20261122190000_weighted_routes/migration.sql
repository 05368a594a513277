-- How often a route is tried first, and before which others. A route that the version before writes is tried at its position.
ALTER TABLE model_route ADD COLUMN weight smallint NOT NULL DEFAULT 1, ADD COLUMN priority smallint;
