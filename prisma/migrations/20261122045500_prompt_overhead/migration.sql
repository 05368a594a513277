-- What a chat template adds to a prompt. A constant default is no rewrite of the table: the lock is held for a moment.
ALTER TABLE "model"
  ADD COLUMN "prompt_overhead" INTEGER NOT NULL DEFAULT 256,
  ADD COLUMN "message_overhead" INTEGER NOT NULL DEFAULT 16,
  ADD COLUMN "tools_overhead" INTEGER NOT NULL DEFAULT 256;
