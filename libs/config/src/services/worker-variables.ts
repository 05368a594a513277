import { z } from 'zod';
import { boardVariables } from '../board';
import { flag, logLevel, postgresUrl, redisUrl, wholeNumber } from '../fields';
import { ConfigError } from '../load-config';
import { mailVariables, toMailConfig } from '../mail';
import { isOfThisMachine } from '../public-url';
import { telemetryVariables } from '../telemetry';

/**
 * Who resolves the review of a charge that could not be recorded. `manual`: an operator. `charge`: the worker; what
 * reached the customer is charged, and what was withheld from him is waived. `waive`: the worker; nothing is charged.
 */
export const REVIEW_POLICIES = ['manual', 'charge', 'waive'] as const;
export type ReviewPolicy = (typeof REVIEW_POLICIES)[number];

/**
 * What becomes of request records that have had their time. `drop`: they are deleted, by whole partitions where that can be.
 * `detach`: their partitions become tables of the schema farebox_archive, for the operator to keep elsewhere.
 */
export const FORGOTTEN_USAGE = ['drop', 'detach'] as const;
export type ForgottenUsage = (typeof FORGOTTEN_USAGE)[number];

/** In place of a number of months. */
const FOR_EVER = 0;
/** A year, and the same month of the year before to compare with. */
const DEFAULT_RETENTION_MONTHS = 13;
/** No fewer than the ledger lets be forgotten: a test of the worker holds the two together. */
export const FEWEST_RETENTION_MONTHS = 2;
const MOST_RETENTION_MONTHS = 1_200;

function retentionMonths() {
  const message = `must be 0 (for ever) or a whole number from ${String(FEWEST_RETENTION_MONTHS)} to ${String(MOST_RETENTION_MONTHS)}`;
  return wholeNumber({ min: 0, max: MOST_RETENTION_MONTHS }).refine(
    (months) => months === FOR_EVER || months >= FEWEST_RETENTION_MONTHS,
    message,
  );
}

/** What the worker reads of its environment. */
export const workerVariables = z.object({
  DATABASE_URL: postgresUrl(),
  REDIS_URL: redisUrl().optional(),
  FAREBOX_LOG_LEVEL: logLevel().default('info'),
  FAREBOX_REVIEW_POLICY: z
    .enum(REVIEW_POLICIES, `must be one of ${REVIEW_POLICIES.join(', ')}`)
    .default('manual'),
  FAREBOX_USAGE_RETENTION_MONTHS: retentionMonths().default(DEFAULT_RETENTION_MONTHS),
  FAREBOX_FORGOTTEN_USAGE: z
    .enum(FORGOTTEN_USAGE, `must be one of ${FORGOTTEN_USAGE.join(', ')}`)
    .default('drop'),
  ...mailVariables,
  FAREBOX_SHOW_SIGN_IN_LINKS: flag().default(false),
  ...telemetryVariables,
  ...boardVariables,
});

type WorkerValues = z.output<typeof workerVariables>;

/** The months of request records that are kept before the one under way; undefined: all of them, for ever. */
export function toRetentionMonths({
  FAREBOX_USAGE_RETENTION_MONTHS: months,
}: Pick<WorkerValues, 'FAREBOX_USAGE_RETENTION_MONTHS'>): number | undefined {
  return months === FOR_EVER ? undefined : months;
}

const LINKS_IN_LOG =
  'FAREBOX_SHOW_SIGN_IN_LINKS is for development: it is taken only where FAREBOX_PUBLIC_URL is http on this machine.';

/** How links reach the people they are for. Throws `ConfigError`. */
export function toLinkConfig(
  values: WorkerValues,
): ReturnType<typeof toMailConfig> & { showsSignInLinks: boolean } {
  const { publicUrl, mail } = toMailConfig(values);
  const showsSignInLinks = values.FAREBOX_SHOW_SIGN_IN_LINKS;
  if (showsSignInLinks && !isOfThisMachine(publicUrl)) throw new ConfigError([LINKS_IN_LOG]);
  return { publicUrl, mail, showsSignInLinks };
}
