import { randomBytes } from 'node:crypto';
import path from 'node:path';
import { createApiKeySecret, createKeyHasher } from '@farebox/auth';
import { freePort, ServiceProcess, waitForHttp } from '@farebox/local-services';
import { givenAccount, givenApiKey } from '@farebox/testing';
import type pg from 'pg';

/** The gateway of a version, in a process of its own, and customers who ask it one request after the other. */
export interface ServingGateway {
  /** Completions that were charged and, asked for again, answered from what is kept. */
  charged(): number;
  /** Failures so far. A customer stops asking after one. */
  failures(): string[];
  /** Ends the customers, then the process. Throws if that had to be killed. */
  stop(): Promise<void>;
}

interface ServingGatewayOptions {
  /** A checkout of the version, with its bundles in `dist`. */
  checkout: string;
  /** The owner's. */
  pool: pg.Pool;
  serviceUrl: string;
  redisUrl: string;
}

/** A model of the catalogue that is applied. */
export const MODEL = 'small';
const CUSTOMERS = 4;
const PEPPER = Buffer.alloc(32, 0x5a);
const NO_LIMIT = '1000000';

export async function startServingGateway(options: ServingGatewayOptions): Promise<ServingGateway> {
  const { checkout, pool, serviceUrl, redisUrl } = options;
  const port = await freePort();
  const url = `http://127.0.0.1:${String(port)}`;
  const gateway = ServiceProcess.start({
    name: 'gateway',
    args: [path.join(checkout, 'dist/gateway/main.js')],
    env: {
      PATH: process.env['PATH'],
      DATABASE_URL: serviceUrl,
      REDIS_URL: redisUrl,
      FAREBOX_GATEWAY_PORT: String(port),
      FAREBOX_KEY_PEPPERS: `1:${PEPPER.toString('hex')}`,
      FAREBOX_ANSWER_KEYS: `1:${randomBytes(32).toString('hex')}`,
      FAREBOX_RATE_LIMIT_REQUESTS: NO_LIMIT,
      FAREBOX_ACCOUNT_RATE_LIMIT_REQUESTS: NO_LIMIT,
      // The machine of a test may stand still for many seconds.
      FAREBOX_DATABASE_TIMEOUT: '60s',
      FAREBOX_RATE_LIMIT_TIMEOUT: '5s',
    },
  });
  await gateway.until(waitForHttp(`${url}/readyz`));

  let [charged, isStopped] = [0, false];
  const failures: string[] = [];
  const customers = Array.from({ length: CUSTOMERS }, async () => {
    const apiKey = await givenKey(pool);
    try {
      for (let number = 0; !isStopped; number += 1) {
        const key = `key-${String(number)}`;
        const answer = await complete(url, apiKey, key);
        if ((await complete(url, apiKey, key)) !== answer) throw new Error('the answer was not kept');
        charged += 1;
      }
    } catch (error) {
      failures.push(String(error));
    }
  });
  return {
    charged: () => charged,
    failures: () => failures,
    async stop() {
      isStopped = true;
      await Promise.all(customers);
      const exit = await gateway.stop();
      if (exit.code !== 0) throw new Error(gateway.output.last(20).join('\n'));
    },
  };
}

async function givenKey(pool: pg.Pool): Promise<string> {
  const secret = createApiKeySecret();
  const { hmac } = createKeyHasher([{ version: 1, secret: PEPPER }]).hash(secret);
  const accountId = await givenAccount(pool, {
    balanceNano: 1_000_000_000_000n,
    dailyRequestCap: 10_000_000,
  });
  await givenApiKey(pool, accountId, { secretHmac: hmac });
  return secret;
}

/** The body of the response. Throws if it is not 200. */
async function complete(url: string, apiKey: string, idempotencyKey: string): Promise<string> {
  const response = await fetch(`${url}/v1/chat/completions`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${apiKey}`,
      'content-type': 'application/json',
      'idempotency-key': idempotencyKey,
    },
    body: JSON.stringify({ model: MODEL, messages: [{ role: 'user', content: 'Hello' }] }),
  });
  const body = await response.text();
  if (response.status !== 200) throw new Error(`${String(response.status)}: ${body}`);
  return body;
}
