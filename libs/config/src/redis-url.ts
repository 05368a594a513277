/** The addresses of `redis+sentinel://…`, in the words of ioredis. */
export interface RedisSentinels {
  sentinels: { host: string; port: number }[];
  /** The sentinels' name of the primary. */
  name: string;
  username?: string;
  password?: string;
  db?: number;
  sentinelUsername?: string;
  sentinelPassword?: string;
  /** With TLS, that of the servers and of the sentinels alike. */
  tls?: object;
  sentinelTLS?: object;
  enableTLSForSentinelMode?: boolean;
}

const SENTINEL_URL =
  /^redis(?<secure>s)?\+sentinel:\/\/(?:(?<username>[^:@/?#]*)(?::(?<password>[^@/?#]*))?@)?(?<hosts>[^@/?#]+)\/(?<name>[A-Za-z0-9._-]+)(?:\/(?<db>\d{1,4}))?(?:\?(?<query>[^#]*))?$/;
const HOST = /^(?:\[([0-9a-fA-F:.]+)\]|([A-Za-z0-9._-]+))(?::(\d{1,5}))?$/;
const SENTINEL_PORT = 26_379;
const LARGEST_PORT = 65_535;
const OWN_LOGIN = ['sentinel_username', 'sentinel_password'];

/**
 * Reads `redis+sentinel://user:password@host:26379,host:26379/primary`, with TLS as `rediss+sentinel`. It may end with
 * `/1`, the number of a database, and with `?sentinel_username=…&sentinel_password=…`. Undefined if it is none.
 */
export function readSentinelUrl(text: string): RedisSentinels | undefined {
  const parts = SENTINEL_URL.exec(text)?.groups;
  if (!parts) return undefined;
  const sentinels = parts['hosts']?.split(',').map(readHost) ?? [];
  const query = new URLSearchParams(parts['query']);
  if ([...query.keys()].some((key) => !OWN_LOGIN.includes(key))) return undefined;
  const known = sentinels.filter((sentinel) => sentinel !== undefined);
  if (known.length < sentinels.length) return undefined;
  try {
    return {
      sentinels: known,
      name: parts['name'] ?? '',
      ...given('username', decodeURIComponent(parts['username'] ?? '')),
      ...given('password', decodeURIComponent(parts['password'] ?? '')),
      ...(parts['db'] !== undefined && { db: Number(parts['db']) }),
      ...given('sentinelUsername', query.get('sentinel_username')),
      ...given('sentinelPassword', query.get('sentinel_password')),
      ...(parts['secure'] && { tls: {}, sentinelTLS: {}, enableTLSForSentinelMode: true }),
    };
  } catch {
    return undefined; // a percent sign that encodes nothing
  }
}

function readHost(text: string): { host: string; port: number } | undefined {
  const [, address, name, digits = String(SENTINEL_PORT)] = HOST.exec(text) ?? [];
  const host = address ?? name;
  const port = Number(digits);
  return host === undefined || port < 1 || port > LARGEST_PORT ? undefined : { host, port };
}

function given<Name extends string>(name: Name, value: string | null): Partial<Record<Name, string>> {
  return value ? ({ [name]: value } as Record<Name, string>) : {};
}
