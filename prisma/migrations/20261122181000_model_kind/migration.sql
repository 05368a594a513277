-- What a model is for: chat completions or embeddings.
ALTER TABLE model ADD COLUMN kind text NOT NULL DEFAULT 'chat'
  CONSTRAINT model_kind_known CHECK (kind IN ('chat', 'embeddings'));
