import { randomBytes } from 'node:crypto';
import { uuidV7 } from '@farebox/auth';
import type { Usage } from '@farebox/ledger';
import { toNanoUsd } from '@farebox/money';
import type { Design } from './designs';

/** An account with a key, and money enough for the whole bench. */
export interface Customer {
  accountId: string;
  apiKeyId: string;
}

export interface Ridden {
  /** Holds that were placed and charged. */
  pairs: number;
  elapsedMs: number;
  /** Of this process, user and system. */
  cpuMs: number;
  /** Of each pair, from the asking for the hold to the answer of the charge. Sorted. */
  latenciesMs: number[];
}

export interface RideOptions {
  design: Design;
  customers: readonly Customer[];
  callers: number;
  durationMs: number;
}

const HOLD_NANO = toNanoUsd(50_000n);
const COST_NANO = toNanoUsd(20_000n);
/** One request in ten has an Idempotency-Key, and an answer that is kept. */
const IDEMPOTENT_EVERY = 10;
const ANSWER = randomBytes(2_048);

/** Callers who hold and charge, over and over, each waiting for its answers as a request does. */
export async function ride({ design, customers, callers, durationMs }: RideOptions): Promise<Ridden> {
  const latenciesMs: number[] = [];
  let next = 0;
  const startedAtMs = performance.now();
  const cpuBefore = process.cpuUsage();
  const endsAtMs = startedAtMs + durationMs;

  async function caller(index: number): Promise<void> {
    while (performance.now() < endsAtMs) {
      const number = next++;
      const customer = customers[(number * 7_919) % customers.length];
      if (!customer) throw new Error('there is no customer');
      const pairStartedAtMs = performance.now();
      await pair(design, index, customer, number);
      latenciesMs.push(performance.now() - pairStartedAtMs);
    }
  }

  await Promise.all(Array.from({ length: callers }, (_, index) => caller(index)));
  const cpu = process.cpuUsage(cpuBefore);
  return {
    pairs: latenciesMs.length,
    elapsedMs: performance.now() - startedAtMs,
    cpuMs: (cpu.user + cpu.system) / 1_000,
    latenciesMs: latenciesMs.sort((a, b) => a - b),
  };
}

async function pair(
  { admitting, settling }: Design,
  caller: number,
  { accountId, apiKeyId }: Customer,
  number: number,
): Promise<void> {
  const admit = admitting[caller % admitting.length];
  const settle = settling[caller % settling.length];
  if (!admit || !settle) throw new Error('there is no connection');
  const holdId = uuidV7();
  const isIdempotent = number % IDEMPOTENT_EVERY === 0;
  const { outcome } = await admit.admit({
    holdId,
    accountId,
    apiKeyId,
    apiKeyVersion: 1,
    cohortName: 'beta',
    amountNano: HOLD_NANO,
    modelId: 'bench',
    priceVersionId: PRICE_VERSION_ID,
    requestId: holdId,
    idempotency: isIdempotent ? { key: holdId, fingerprint: FINGERPRINT } : undefined,
  });
  if (outcome !== 'admitted') throw new Error(`a hold was refused: ${outcome}`);
  const settled = await settle.settle({
    holdId,
    accountId,
    usage: isIdempotent ? { ...USAGE, answer: ANSWER } : USAGE,
  });
  if (settled !== 'resolved') throw new Error('a charge found no hold');
}

export const PRICE_VERSION_ID = uuidV7();
const FINGERPRINT = randomBytes(32);
export const USAGE: Usage = {
  measuredCostNano: COST_NANO,
  promptTokens: 100,
  completionTokens: 200,
  outcome: 'completed',
  streamed: true,
  estimated: false,
  latencyMs: 1_200,
  firstTokenMs: 150,
};
