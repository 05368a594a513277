-- What a model takes beside what every model takes.
ALTER TABLE model ADD COLUMN file_tokens integer, ADD COLUMN extra_fields jsonb NOT NULL DEFAULT '[]';
