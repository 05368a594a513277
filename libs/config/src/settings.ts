import type { NanoUsd } from '@farebox/money';
import { z } from 'zod';
import { type App, DEFAULT_PUBLIC_URL, isLoopback } from './fields';
import { FOR_EVER, KNOWN_VARIABLES, type NameOf, schemasOf, type ValuesOf } from './variables';

/** The environment of the process. */
export type Environment = Readonly<Record<string, string | undefined>>;

/** The environment is not valid: one sentence per variable, without any value. */
export class ConfigError extends Error {
  readonly problems: readonly string[];

  constructor(problems: readonly string[]) {
    super(problems.join('\n'));
    this.name = 'ConfigError';
    this.problems = problems;
  }
}

interface LoadedConfig<Values> {
  /** Keyed by the names of the variables. */
  values: Values;
  /** One sentence for each FAREBOX_* variable that nothing reads; most are typing errors. */
  warnings: string[];
}

/**
 * Reads the variables of an app, or only the named ones. An empty variable counts as not set. Throws
 * `ConfigError` with every problem at once; its text never contains a value.
 */
export function loadConfig<Reader extends App, Name extends NameOf<Reader> = NameOf<Reader>>(
  app: Reader,
  environment: Environment,
  names?: readonly Name[],
): LoadedConfig<Pick<ValuesOf<Reader>, Name>> {
  const shape = Object.entries(schemasOf(app)).filter(([name]) => !names || names.includes(name as Name));
  const loaded = readVariables(z.object(Object.fromEntries(shape)), environment);
  return loaded as LoadedConfig<Pick<ValuesOf<Reader>, Name>>;
}

/** The variables that an app requires to start. */
export function requiredVariables(app: App): string[] {
  return Object.entries(schemasOf(app))
    .filter(([, schema]) => !schema.safeParse(undefined).success)
    .map(([name]) => name);
}

/** `loadConfig` with a custom schema, for tests. */
export function readVariables<Schema extends z.ZodObject>(
  schema: Schema,
  environment: Environment,
): LoadedConfig<z.output<Schema>> {
  const names = Object.keys(schema.shape);
  const input = Object.fromEntries(
    names.map((name) => [name, environment[name] === '' ? undefined : environment[name]]),
  );

  const result = schema.safeParse(input);
  if (!result.success) throw new ConfigError(result.error.issues.map((issue) => describeIssue(issue, input)));

  const known = new Set([...KNOWN_VARIABLES, ...names]);
  return { values: result.data, warnings: warnOfUnknownVariables(Object.keys(environment), known) };
}

/** The messages of the fields complete the sentence that begins with the variable's name. */
function describeIssue(issue: z.core.$ZodIssue, input: Environment): string {
  const name = String(issue.path[0]);
  return input[name] === undefined ? `${name} is required but not set.` : `${name} ${issue.message}.`;
}

/** Prefixes of the variables of test runs and development tools. */
const TOOL_PREFIXES = ['FAREBOX_TEST_', 'FAREBOX_EDGE_', 'FAREBOX_SIMULATED_UPSTREAM'];
const PREFIX = 'FAREBOX_';

/** Names at most this many edits apart count as a typing error. */
const LARGEST_TYPO = 3;

/** One sentence for each FAREBOX_* variable that is set but not read. Values are never included. */
function warnOfUnknownVariables(setNames: readonly string[], known: ReadonlySet<string>): string[] {
  return setNames
    .filter((name) => name.startsWith(PREFIX) && !known.has(name) && !isOfTool(name))
    .sort()
    .map((name) => {
      const nearest = nearestName(name, known);
      const hint = nearest === undefined ? '' : ` Did you mean ${nearest}?`;
      return `${name} is set, but nothing reads a variable of that name.${hint}`;
    });
}

function isOfTool(name: string): boolean {
  return TOOL_PREFIXES.some((prefix) => name.startsWith(prefix));
}

function nearestName(name: string, known: ReadonlySet<string>): string | undefined {
  let nearest: string | undefined;
  let smallest = LARGEST_TYPO + 1;
  for (const candidate of known) {
    const distance = editDistance(name, candidate);
    if (distance < smallest) {
      smallest = distance;
      nearest = candidate;
    }
  }
  return nearest;
}

/** Levenshtein's distance: the insertions, deletions and replacements that turn one text into the other. */
function editDistance(a: string, b: string): number {
  let previous = Array.from({ length: b.length + 1 }, (_, column) => column);
  for (let row = 1; row <= a.length; row++) {
    const current = [row];
    for (let column = 1; column <= b.length; column++) {
      const replaced = at(previous, column - 1) + (a[row - 1] === b[column - 1] ? 0 : 1);
      current.push(Math.min(replaced, at(previous, column) + 1, at(current, column - 1) + 1));
    }
    previous = current;
  }
  return at(previous, b.length);
}

function at(row: readonly number[], index: number): number {
  return row[index] ?? Number.POSITIVE_INFINITY;
}

// Configurations made of several variables. Each throws `ConfigError` if a variable requires another one.

export interface TelemetryConfig {
  /** The address of /metrics; not served if not set. */
  metrics: { host: string; port: number } | undefined;
  /** Tracing is off if not set. */
  tracing: TracingSettings | undefined;
}

interface TracingSettings {
  tracesUrl: string;
  sampler: ValuesOf<'gateway'>['OTEL_TRACES_SAMPLER'];
  ratio: number;
  /** Whether a client's `traceparent` sets the trace of its request. */
  continuesTraces: boolean;
}

type TelemetryValues = Pick<
  ValuesOf<'gateway'>,
  | 'FAREBOX_METRICS_PORT'
  | 'FAREBOX_METRICS_HOST'
  | 'FAREBOX_CONTINUE_TRACES'
  | 'OTEL_EXPORTER_OTLP_ENDPOINT'
  | 'OTEL_EXPORTER_OTLP_TRACES_ENDPOINT'
  | 'OTEL_TRACES_SAMPLER'
  | 'OTEL_TRACES_SAMPLER_ARG'
>;

export function toTelemetryConfig(values: TelemetryValues): TelemetryConfig {
  const { FAREBOX_METRICS_PORT: metricsPort, FAREBOX_METRICS_HOST: host } = values;
  const tracesUrl = tracesUrlOf(values);
  return {
    metrics: metricsPort === undefined ? undefined : { host, port: metricsPort },
    tracing:
      tracesUrl === undefined
        ? undefined
        : {
            tracesUrl,
            sampler: values.OTEL_TRACES_SAMPLER,
            ratio: values.OTEL_TRACES_SAMPLER_ARG,
            continuesTraces: values.FAREBOX_CONTINUE_TRACES,
          },
  };
}

/**
 * The traces endpoint is used as it is; the endpoint for all signals is a base. Source: OTLP exporter
 * specification.
 */
function tracesUrlOf(values: TelemetryValues): string | undefined {
  if (values.OTEL_EXPORTER_OTLP_TRACES_ENDPOINT !== undefined)
    return values.OTEL_EXPORTER_OTLP_TRACES_ENDPOINT;
  const base = values.OTEL_EXPORTER_OTLP_ENDPOINT;
  return base === undefined ? undefined : `${base.replace(/\/$/, '')}/v1/traces`;
}

/** The address of the queue board, and its access. */
export interface BoardConfig {
  host: string;
  port: number;
  /** Grants access to the board. */
  token: string;
}

/** Returns undefined without a port. */
export function toBoardConfig(
  values: Pick<ValuesOf<'worker'>, 'FAREBOX_BOARD_PORT' | 'FAREBOX_BOARD_HOST' | 'FAREBOX_BOARD_TOKEN'>,
): BoardConfig | undefined {
  const { FAREBOX_BOARD_PORT: boardPort, FAREBOX_BOARD_HOST: host, FAREBOX_BOARD_TOKEN: token } = values;
  if (boardPort === undefined) return undefined;
  if (token === undefined) throw required('FAREBOX_BOARD_TOKEN', 'FAREBOX_BOARD_PORT');
  return { host, port: boardPort, token };
}

export interface MailConfig {
  url: string;
  from: { name: string; address: string };
}

type MailValues = Pick<ValuesOf<'worker'>, 'FAREBOX_PUBLIC_URL' | 'FAREBOX_MAIL_URL' | 'FAREBOX_MAIL_FROM'>;

/** Without a mail server no mail is sent. With one, the sender and the public URL for links are required. */
export function toMailConfig(values: MailValues): { publicUrl: string; mail: MailConfig | undefined } {
  const { FAREBOX_PUBLIC_URL: base, FAREBOX_MAIL_URL: url, FAREBOX_MAIL_FROM: from } = values;
  if (url === undefined) return { publicUrl: base ?? DEFAULT_PUBLIC_URL, mail: undefined };
  if (base === undefined || from === undefined) {
    const missing = [
      ...(base === undefined ? ['FAREBOX_PUBLIC_URL'] : []),
      ...(from === undefined ? ['FAREBOX_MAIL_FROM'] : []),
    ];
    throw new ConfigError(missing.flatMap((name) => required(name, 'FAREBOX_MAIL_URL').problems));
  }
  return { publicUrl: base, mail: { url, from } };
}

const LINKS_IN_LOG =
  'FAREBOX_SHOW_SIGN_IN_LINKS is for development: it is taken only where FAREBOX_PUBLIC_URL is http on this machine.';

/** How links reach their recipients. */
export function toLinkConfig(
  values: MailValues & Pick<ValuesOf<'worker'>, 'FAREBOX_SHOW_SIGN_IN_LINKS'>,
): ReturnType<typeof toMailConfig> & { showsSignInLinks: boolean } {
  const { publicUrl, mail } = toMailConfig(values);
  const showsSignInLinks = values.FAREBOX_SHOW_SIGN_IN_LINKS;
  if (showsSignInLinks && !isLoopback(publicUrl)) throw new ConfigError([LINKS_IN_LOG]);
  return { publicUrl, mail, showsSignInLinks };
}

/** An OpenID provider that operators sign in at. */
export interface OpenIdConfig {
  issuer: string;
  clientId: string;
  clientSecret: string;
  /** The claim that names their role; undefined: the list of operators does. */
  roleClaim: string | undefined;
}

/** Without an issuer, operators sign in by links alone. */
export function toOpenIdConfig(
  values: Pick<
    ValuesOf<'operator'>,
    | 'FAREBOX_OIDC_ISSUER'
    | 'FAREBOX_OIDC_CLIENT_ID'
    | 'FAREBOX_OIDC_CLIENT_SECRET'
    | 'FAREBOX_OIDC_ROLE_CLAIM'
  >,
): OpenIdConfig | undefined {
  const { FAREBOX_OIDC_ISSUER: issuer, FAREBOX_OIDC_CLIENT_ID: clientId } = values;
  const { FAREBOX_OIDC_CLIENT_SECRET: clientSecret, FAREBOX_OIDC_ROLE_CLAIM: roleClaim } = values;
  if (issuer === undefined) return undefined;
  if (clientId === undefined) throw required('FAREBOX_OIDC_CLIENT_ID', 'FAREBOX_OIDC_ISSUER');
  if (clientSecret === undefined) throw required('FAREBOX_OIDC_CLIENT_SECRET', 'FAREBOX_OIDC_ISSUER');
  return { issuer, clientId, clientSecret, roleClaim };
}

export interface CardPaymentConfig {
  secretKey: string;
  webhookSecret: string;
  /** Replaces Stripe's own URL in tests. */
  apiUrl: string | undefined;
  minNano: NanoUsd;
  maxNano: NanoUsd;
}

type CardPaymentValues = Pick<
  ValuesOf<'account'>,
  | 'FAREBOX_STRIPE_SECRET_KEY'
  | 'FAREBOX_STRIPE_WEBHOOK_SECRET'
  | 'FAREBOX_STRIPE_API_URL'
  | 'FAREBOX_TOP_UP_MIN'
  | 'FAREBOX_TOP_UP_MAX'
>;

/** Without Stripe's secrets there are no card payments. */
export function toCardPaymentConfig(values: CardPaymentValues): CardPaymentConfig | undefined {
  const { FAREBOX_STRIPE_SECRET_KEY: secretKey, FAREBOX_STRIPE_WEBHOOK_SECRET: webhookSecret } = values;
  const { FAREBOX_TOP_UP_MIN: minNano, FAREBOX_TOP_UP_MAX: maxNano, FAREBOX_STRIPE_API_URL: apiUrl } = values;
  if (minNano > maxNano)
    throw new ConfigError(['FAREBOX_TOP_UP_MIN must not be more than FAREBOX_TOP_UP_MAX.']);
  if (secretKey === undefined && webhookSecret === undefined) return undefined;
  if (secretKey === undefined) throw required('FAREBOX_STRIPE_SECRET_KEY', 'FAREBOX_STRIPE_WEBHOOK_SECRET');
  if (webhookSecret === undefined)
    throw required('FAREBOX_STRIPE_WEBHOOK_SECRET', 'FAREBOX_STRIPE_SECRET_KEY');
  return { secretKey, webhookSecret, apiUrl, minNano, maxNano };
}

/** The number of past months of request records to keep; undefined keeps them forever. */
export function toRetentionMonths({
  FAREBOX_USAGE_RETENTION_MONTHS: months,
}: Pick<ValuesOf<'worker'>, 'FAREBOX_USAGE_RETENTION_MONTHS'>): number | undefined {
  return months === FOR_EVER ? undefined : months;
}

function required(name: string, other: string): ConfigError {
  return new ConfigError([`${name} is required if ${other} is set.`]);
}
