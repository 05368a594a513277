ALTER TABLE account ADD COLUMN language text;
ALTER TABLE mail ADD COLUMN language text;
