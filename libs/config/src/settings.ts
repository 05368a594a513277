import type { NanoUsd } from '@farebox/money';
import { DEFAULT_PUBLIC_URL, isOfThisMachine } from './fields';
import { ConfigError } from './load-config';
import { FOR_EVER, type ValuesOf } from './variables';

// What variables come to that are of use only together. All throw `ConfigError` if one of them needs another.

export interface TelemetryConfig {
  /** Where /metrics is served. Not set: nowhere. */
  metrics: { host: string; port: number } | undefined;
  /** Not set: nothing is traced. */
  tracing: TracingSettings | undefined;
}

interface TracingSettings {
  tracesUrl: string;
  sampler: ValuesOf<'gateway'>['OTEL_TRACES_SAMPLER'];
  ratio: number;
  /** Whether a client's `traceparent` names the trace of its request. */
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

/** The endpoint of traces is taken as it is; that of all signals is a base. Source: OTLP exporter specification. */
function tracesUrlOf(values: TelemetryValues): string | undefined {
  if (values.OTEL_EXPORTER_OTLP_TRACES_ENDPOINT !== undefined)
    return values.OTEL_EXPORTER_OTLP_TRACES_ENDPOINT;
  const base = values.OTEL_EXPORTER_OTLP_ENDPOINT;
  return base === undefined ? undefined : `${base.replace(/\/$/, '')}/v1/traces`;
}

/** Where the board of the queues is served, and to whom. */
export interface BoardConfig {
  host: string;
  port: number;
  /** Whoever knows it sees the board. */
  token: string;
}

/** Without a port there is no board. */
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

/** Without a mail server no mail is sent. With one, its sender and the address that links lead to must be said. */
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

/** How links reach the people they are for. */
export function toLinkConfig(
  values: MailValues & Pick<ValuesOf<'worker'>, 'FAREBOX_SHOW_SIGN_IN_LINKS'>,
): ReturnType<typeof toMailConfig> & { showsSignInLinks: boolean } {
  const { publicUrl, mail } = toMailConfig(values);
  const showsSignInLinks = values.FAREBOX_SHOW_SIGN_IN_LINKS;
  if (showsSignInLinks && !isOfThisMachine(publicUrl)) throw new ConfigError([LINKS_IN_LOG]);
  return { publicUrl, mail, showsSignInLinks };
}

export interface CardPaymentConfig {
  secretKey: string;
  webhookSecret: string;
  /** In place of Stripe's own: for tests. */
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

/** Without Stripe's secrets no card is charged. */
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

/** The months of request records that are kept before the one under way; undefined: all of them, for ever. */
export function toRetentionMonths({
  FAREBOX_USAGE_RETENTION_MONTHS: months,
}: Pick<ValuesOf<'worker'>, 'FAREBOX_USAGE_RETENTION_MONTHS'>): number | undefined {
  return months === FOR_EVER ? undefined : months;
}

function required(name: string, other: string): ConfigError {
  return new ConfigError([`${name} is required where ${other} is set.`]);
}
