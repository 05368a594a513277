-- What a server speaks: chat completions, or Anthropic's messages.
ALTER TABLE upstream ADD COLUMN wire text NOT NULL DEFAULT 'chat'
  CONSTRAINT upstream_wire_known CHECK (wire IN ('chat', 'messages'));
