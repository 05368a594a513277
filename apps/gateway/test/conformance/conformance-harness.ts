import { fromDecimalUsd } from '@farebox/money';
import { waitUntil } from '@farebox/testing';
import { toLimiterSettings } from '../../src/limiter/request-limits';
import { startGatewayHarness, type GatewayHarness } from '../gateway-harness';

/** A gateway for real clients; each test has its own customers. */
export interface ConformanceHarness extends GatewayHarness {
  /** The base URL to use in place of OpenAI's. */
  baseURL: string;
  /** The charges of a customer, request by request, in nano-dollars. */
  chargesOf(accountId: string): Promise<bigint[]>;
  /** The outcomes and token counts of a customer's requests. */
  usageOf(accountId: string): Promise<{ outcome: string; completionTokens: number }[]>;
  /** The reviews of a customer's requests. */
  reviewsOf(accountId: string): Promise<{ reason: string; state: string }[]>;
  /** Statuses of the requests that a client makes by itself while this runs. */
  statusesDuring(run: () => Promise<unknown>): Promise<number[]>;
}

/** Few enough for a test to exhaust, and renewed soon enough for a client to wait. */
export const REQUEST_LIMITS = { requests: 6, windowMs: 3_000, concurrent: 6 };

export async function startConformanceHarness(): Promise<ConformanceHarness> {
  const harness = await startGatewayHarness({ requestLimits: toLimiterSettings(REQUEST_LIMITS) });
  const { pool } = harness.db;
  /** Number of completed requests for completions. */
  const statuses = (): number[] =>
    harness
      .logText()
      .split('\n')
      .filter((line) => line.includes('"event":"request_') && line.includes('"route":"/v1/chat/completions"'))
      .map((line) => (JSON.parse(line) as { status: number }).status);

  /** Ensures that all earlier requests are in the log. */
  async function answerLast(): Promise<void> {
    const response = await fetch(`${harness.url}/v1/models`);
    const id = response.headers.get('x-request-id') ?? '';
    await waitUntil(() => harness.logText().includes(id), 'the last request is logged');
  }

  return {
    ...harness,
    baseURL: `${harness.url}/v1`,
    async chargesOf(accountId) {
      const sql = `SELECT amount_nano::text AS amount FROM ledger_entry WHERE account_id = $1 AND kind = 'charge' ORDER BY id`;
      const { rows } = await pool.query<{ amount: string }>(sql, [accountId]);
      return rows.map(({ amount }) => BigInt(amount));
    },
    async usageOf(accountId) {
      const sql = `SELECT outcome, completion_tokens AS "completionTokens" FROM usage_record WHERE account_id = $1`;
      return (await pool.query<{ outcome: string; completionTokens: number }>(sql, [accountId])).rows;
    },
    async reviewsOf(accountId) {
      const sql = 'SELECT reason, state FROM billing_review WHERE account_id = $1';
      return (await pool.query<{ reason: string; state: string }>(sql, [accountId])).rows;
    },
    async statusesDuring(run) {
      const before = statuses().length;
      await run();
      await answerLast();
      return statuses().slice(before);
    },
  };
}

/** The cost in an answer, in nano-dollars. Clients pass the field on without knowing it. */
export function costIn(usage: unknown): bigint {
  return fromDecimalUsd((usage as { cost: string }).cost);
}

/** The fields of the last model request that tests look at. */
export function lastAsked({ upstream }: GatewayHarness): {
  messages: { role: string; tool_call_id?: string; tool_calls?: { id: string }[] }[];
} {
  return upstream.requests().at(-1)?.body as ReturnType<typeof lastAsked>;
}

/** Waits until an aborted stream is charged, and the model has stopped. */
export async function expectLeft(harness: ConformanceHarness, accountId: string): Promise<void> {
  const asked = () => harness.upstream.requests().at(-1);
  await waitUntil(() => asked()?.aborted === true, 'the upstream call is aborted').catch((error: unknown) => {
    const { body, ...seen } = asked() ?? { body: undefined };
    const lines = harness.logText().split('\n').slice(-10).join('\n');
    throw new Error(`${JSON.stringify({ body, ...seen })}\n${lines}`, { cause: error });
  });
  await harness.expectSettled();
  const [usage, ...others] = await harness.usageOf(accountId);
  const [chargedNano] = await harness.chargesOf(accountId);
  expect(others).toEqual([]);
  expect(usage?.outcome).toBe('client_gone');
  expect(usage?.completionTokens).toBeGreaterThan(0);
  expect(usage?.completionTokens).toBeLessThan(LONG_ANSWER_TOKENS);
  expect(chargedNano).toBeGreaterThan(0n);
}

/** Length of an answer to be aborted. At the harness's pace it would take 20 seconds. */
export const LONG_ANSWER_TOKENS = 1_000;
