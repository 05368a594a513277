-- How a server differs from others of its wire; and a third wire.
ALTER TABLE upstream
  ADD COLUMN dialect jsonb NOT NULL DEFAULT '{}',
  DROP CONSTRAINT upstream_wire_known,
  ADD CONSTRAINT upstream_wire_known CHECK (wire IN ('chat', 'responses', 'messages')) NOT VALID;
