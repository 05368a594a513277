import { z } from 'zod';
import { cardPaymentVariables } from '../card-payments';
import { listenHost, logLevel, port, postgresUrl } from '../fields';
import { keyPeppers } from '../key-peppers';
import { DEFAULT_PUBLIC_URL, publicUrl } from '../public-url';
import { telemetryVariables } from '../telemetry';
import { trustedProxies } from '../trusted-proxies';

/** What the account service reads of its environment. */
export const accountVariables = z.object({
  DATABASE_URL: postgresUrl(),
  FAREBOX_KEY_PEPPERS: keyPeppers(),
  FAREBOX_HOST: listenHost().default('127.0.0.1'),
  FAREBOX_ACCOUNT_PORT: port().default(8082),
  FAREBOX_LOG_LEVEL: logLevel().default('info'),
  FAREBOX_PUBLIC_URL: publicUrl().default(DEFAULT_PUBLIC_URL),
  ...cardPaymentVariables,
  FAREBOX_TRUSTED_PROXIES: trustedProxies().default([]),
  ...telemetryVariables,
});
