import { createApiKeySecret } from '@farebox/auth';
import { createHttpServer, DEFAULT_SERVER_LIMITS, listen } from '@farebox/http';
import { toLimiterSettings } from '../../src/limiter/request-limits';
import { startGatewayHarness, type GatewayHarness } from '../gateway-harness';
import type { FuzzKeys } from './generate/headers';
import { findLoggedSecrets } from './secrets';

export interface FuzzHarness extends GatewayHarness {
  port: number;
  keys: FuzzKeys;
  /** Log lines with forbidden content, and lines that are not JSON. */
  badLogLines: string[];
  countLogLines(): number;
}

/**
 * Short time limits, so that a client who waits after half a request costs little time, but longer than a
 * busy machine may stall this process. It also runs all clients, which would then send late through no fault
 * of the service.
 */
const LIMITS = {
  ...DEFAULT_SERVER_LIMITS,
  headersTimeoutMs: 4_000,
  requestTimeoutMs: 8_000,
  keepAliveTimeoutMs: 30,
};
const MUCH_NANO = 1_000_000_000_000_000n;
const RICH_KEYS = 8;
const MOST_BAD_LINES = 20;
const yesterday = new Date(Date.now() - 86_400_000);

export async function startFuzzHarness(): Promise<FuzzHarness> {
  const badLogLines: string[] = [];
  let lines = 0;
  const harness = await startGatewayHarness(
    {
      requestLimits: toLimiterSettings({ requests: 1_000_000, windowMs: 60_000, concurrent: 10_000 }),
    },
    {
      onLogLine: (line) => {
        lines++;
        if (badLogLines.length < MOST_BAD_LINES && !isGoodLogLine(line)) badLogLines.push(line);
      },
    },
  );
  const server = createHttpServer(harness.gateway.app, LIMITS);
  return {
    ...harness,
    port: await listen(server, { host: '127.0.0.1', port: 0 }),
    keys: await givenKeys(harness),
    badLogLines,
    countLogLines: () => lines,
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
      await harness.close();
    },
  };
}

function isGoodLogLine(line: string): boolean {
  try {
    JSON.parse(line);
  } catch {
    return false;
  }
  return findLoggedSecrets(line).length === 0;
}

async function givenKeys(harness: GatewayHarness): Promise<FuzzKeys> {
  const uncapped = { balanceNano: MUCH_NANO, dailyRequestCap: 1_000_000, dailySpendCapNano: MUCH_NANO };
  const rich = await Promise.all(Array.from({ length: RICH_KEYS }, () => harness.givenKey(uncapped)));
  const barred = await harness.givenKey(uncapped);
  await harness.db.pool.query(
    `UPDATE api_key SET model_policy_mode = 'allow', model_policy_models = '{off}' WHERE id = $1`,
    [barred.apiKeyId],
  );
  const refused = await Promise.all([
    harness.givenKey({ ...uncapped, balanceNano: 1n }),
    harness.givenKey({ ...uncapped, dailyRequestCap: 0 }),
    harness.givenKey(uncapped, { monthlySpendLimitNano: 1n }),
    harness.givenKey(uncapped, { expiresAt: yesterday }),
    harness.givenKey(uncapped, { revokedAt: yesterday }),
    harness.givenKey({ ...uncapped, inviteStatus: 'suspended' }),
  ]);
  const secretOf = ({ secret }: { secret: string }): string => secret;
  return {
    rich: rich.map(secretOf),
    refused: [barred, ...refused].map(secretOf),
    unknown: createApiKeySecret(),
  };
}
