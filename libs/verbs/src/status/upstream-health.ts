import { readCatalog, type CatalogSnapshot } from '@farebox/catalog';
import type { Environment } from '@farebox/config';
import { readFailedRequests, readRouteUse } from '@farebox/ledger';
import type { Pool } from 'pg';
import { toTable } from '../lists';

/** The time that says how an upstream does now. */
const RECENT_MINUTES = 15;
const MINUTE_MS = 60_000;
const MOST_ROUTES = 1_000;

/** An upstream as the database knows it: each gateway decides for itself whether it asks it. */
export interface UpstreamHealth {
  upstreamId: string;
  /** The variable of its secret, if it is not set here: the gateways may have another environment. */
  secretNotSet: string | null;
  /** Requests of the last minutes that it answered to the end, and that broke off or stood still. */
  answered: number;
  brokeOff: number;
  /** Failed requests of models that only this upstream serves. */
  failed: number;
}

interface Recent {
  routes: readonly { upstreamId: string; requests: number; brokeOff: number; timedOut: number }[];
  failed: ReadonlyMap<string, number>;
}

/** Every upstream, by id; `secrets` is undefined where they are never known. */
export async function readUpstreamHealth(
  pool: Pool,
  secrets: Environment | undefined,
): Promise<UpstreamHealth[]> {
  const to = new Date();
  const period = { from: new Date(to.getTime() - RECENT_MINUTES * MINUTE_MS), to };
  const [catalog, routes, failed] = await Promise.all([
    readCatalog(pool),
    readRouteUse(pool, { ...period, limit: MOST_ROUTES }),
    readFailedRequests(pool, period),
  ]);
  return judgeUpstreams(catalog, secrets, { routes, failed });
}

export function judgeUpstreams(
  { upstreams, models }: Pick<CatalogSnapshot, 'upstreams' | 'models'>,
  secrets: Environment | undefined,
  { routes, failed }: Recent,
): UpstreamHealth[] {
  const served = [...models.values()].filter(({ visibility }) => visibility.to !== 'disabled');
  return [...upstreams.values()]
    .map(({ id, apiKeyEnv }) => {
      const own = routes.filter(({ upstreamId }) => upstreamId === id);
      const brokeOff = own.reduce((sum, one) => sum + one.brokeOff + one.timedOut, 0);
      const alone = served.filter((model) => model.routes.every(({ upstreamId }) => upstreamId === id));
      return {
        upstreamId: id,
        secretNotSet: apiKeyEnv !== undefined && secrets && !secrets[apiKeyEnv] ? apiKeyEnv : null,
        answered: own.reduce((sum, { requests }) => sum + requests, 0) - brokeOff,
        brokeOff,
        failed: alone.reduce((sum, model) => sum + (failed.get(model.id) ?? 0), 0),
      };
    })
    .sort((one, other) => (one.upstreamId < other.upstreamId ? -1 : 1));
}

export interface UpstreamReport {
  upstream: string;
  state: 'ok' | 'failing' | 'misconfigured';
  secret_not_set: string | null;
  answered: number;
  broke_off: number;
  failed: number;
}

/** `failing`: as many requests failed as were answered, or more. */
export function toUpstreamReport(health: UpstreamHealth): UpstreamReport {
  const { upstreamId, secretNotSet, answered, brokeOff, failed } = health;
  const bad = brokeOff + failed;
  return {
    upstream: upstreamId,
    state: secretNotSet !== null ? 'misconfigured' : bad > 0 && bad >= answered ? 'failing' : 'ok',
    ...{ secret_not_set: secretNotSet, answered, broke_off: brokeOff, failed },
  };
}

/** A table for a person. */
export function describeUpstreams(reports: readonly UpstreamReport[]): string {
  const heading = `Upstreams, of the last ${String(RECENT_MINUTES)} minutes:`;
  if (reports.length === 0) return `${heading}\nThere are none.`;
  const number = { align: 'right' } as const;
  const table = toTable(
    [
      { name: 'upstream' },
      { name: 'state' },
      ...['answered', 'broke off', 'failed'].map((name) => ({ name, ...number })),
    ],
    reports.map((one) => [
      one.upstream,
      one.secret_not_set === null
        ? one.state.replace('failing', 'FAILING')
        : `${one.secret_not_set} IS NOT SET HERE`,
      ...[one.answered, one.broke_off, one.failed].map(String),
    ]),
  );
  const isBad = reports.some(({ state }) => state !== 'ok');
  return `${heading}\n${table}${isBad ? '\nTo ask them: admin doctor --upstreams' : ''}`;
}
