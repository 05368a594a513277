ALTER TABLE upstream VALIDATE CONSTRAINT upstream_wire_known;
