-- Where a model stands in the catalogue, and in the lists of models.
ALTER TABLE model ADD COLUMN position int NOT NULL DEFAULT 0;
