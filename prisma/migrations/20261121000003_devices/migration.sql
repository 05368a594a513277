-- Devices and the sessions that are bound to them; from when a key's expiry was counted.

-- CreateTable
CREATE TABLE "device" (
    "id" UUID NOT NULL,
    "account_id" UUID NOT NULL,
    "name" TEXT NOT NULL,
    "platform" TEXT NOT NULL,
    "last_seen_at" TIMESTAMPTZ(6),
    "revoked_at" TIMESTAMPTZ(6),
    "created_at" TIMESTAMPTZ(6) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "device_pkey" PRIMARY KEY ("id")
);

-- CreateIndex
CREATE UNIQUE INDEX "device_account_id_id_key" ON "device"("account_id", "id");

-- AddForeignKey
ALTER TABLE "device" ADD CONSTRAINT "device_account_id_fkey" FOREIGN KEY ("account_id") REFERENCES "account"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AlterTable
ALTER TABLE "account_session" ADD COLUMN     "device_id" UUID;

-- CreateIndex
CREATE UNIQUE INDEX "account_session_account_id_device_id_key" ON "account_session"("account_id", "device_id");

-- AddForeignKey
-- Both columns: a session is never bound to a device of another account.
ALTER TABLE "account_session" ADD CONSTRAINT "account_session_account_id_device_id_fkey" FOREIGN KEY ("account_id", "device_id") REFERENCES "device"("account_id", "id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AlterTable
ALTER TABLE "api_key" ADD COLUMN     "lifetime_starts_at" TIMESTAMPTZ(6) NOT NULL DEFAULT CURRENT_TIMESTAMP;

-- What the lifetime was counted from until now.
UPDATE "api_key" SET "lifetime_starts_at" = "secret_issued_at" WHERE "expires_at" IS NOT NULL;

-- The services register devices, name them, see them and revoke them. Whose a device is never changes.
GRANT SELECT, INSERT ON "device" TO farebox_app;
GRANT UPDATE ("name", "last_seen_at", "revoked_at") ON "device" TO farebox_app;
