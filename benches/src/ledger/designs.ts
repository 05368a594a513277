import { randomBytes } from 'node:crypto';
import { uuidV7 } from '@farebox/auth';
import {
  type BatchMeasure,
  type GatewayLedger,
  type GatewayLedgerOptions,
  openGatewayLedger,
  type Usage,
} from '@farebox/ledger';
import { toNanoUsd } from '@farebox/money';
import type { BenchLedger, Customer } from '../database';

export interface LedgerBenchOptions {
  seconds: number;
  rounds: number;
  callers: number;
  connections: number;
  history: number;
  gateways: boolean;
  batches: boolean;
  roots: boolean;
  fsync: boolean;
}

/** A way to send the same operations to the same database functions. */
export interface Design {
  name: string;
  /** Each one has a separate connection. */
  admitting: GatewayLedger[];
  settling: GatewayLedger[];
  /** Every call since the last time; resets the list. */
  takeCalls(): BatchMeasure[];
  close(): Promise<void>;
}

type LedgerAddress = Pick<BenchLedger, 'databaseUrl' | 'pool'>;

/** The product's design: everything that waits goes out as one call, or as one for each half of the accounts. */
export async function openBatched(address: LedgerAddress): Promise<Design> {
  const calls: BatchMeasure[] = [];
  const ledger = await open(address, calls);
  return toDesign('batched', calls, [ledger], [ledger]);
}

/** As in `openBatched`, but never more than one call at a time. */
export async function openOneConnection(address: LedgerAddress): Promise<Design> {
  const calls: BatchMeasure[] = [];
  const ledger = await open(address, calls, { minHalf: Infinity });
  return toDesign('1 gateway, 1 connection', calls, [ledger], [ledger]);
}

/** This many gateways, each as in `openBatched`. A caller stays with one of them. */
export async function openGateways(address: LedgerAddress, count: number): Promise<Design> {
  const calls: BatchMeasure[] = [];
  const ledgers: GatewayLedger[] = [];
  for (let i = 0; i < count; i++) ledgers.push(await open(address, calls));
  return toDesign(count === 1 ? '1 gateway' : `${String(count)} gateways`, calls, ledgers, ledgers);
}

/** The usual design: each operation is a separate call, on a pool of connections. */
export async function openOneCallEach(address: LedgerAddress, connections: number): Promise<Design> {
  const calls: BatchMeasure[] = [];
  const ledgers: GatewayLedger[] = [];
  for (let i = 0; i < connections; i++) ledgers.push(await open(address, calls, { maxBatch: 1 }));
  // A call may take one of each kind: separately, they are one each.
  const half = Math.ceil(connections / 2);
  const name = `one call each (${String(connections)} connections)`;
  return toDesign(name, calls, ledgers.slice(0, half), ledgers.slice(half));
}

const PATIENT_MS = 60_000;

function open(
  { databaseUrl, pool }: LedgerAddress,
  calls: BatchMeasure[],
  batching: Pick<GatewayLedgerOptions, 'maxBatch' | 'minHalf'> = {},
): Promise<GatewayLedger> {
  return openGatewayLedger({
    databaseUrl,
    pool,
    leaseMs: 600_000,
    admissionTimeoutMs: PATIENT_MS,
    settlementTimeoutMs: PATIENT_MS,
    onLeaseError: (error) => {
      throw error;
    },
    onBatch: (call) => calls.push(call),
    ...batching,
  });
}

function toDesign(
  name: string,
  calls: BatchMeasure[],
  admitting: GatewayLedger[],
  settling: GatewayLedger[],
): Design {
  return {
    name,
    admitting,
    settling,
    takeCalls: () => calls.splice(0),
    async close() {
      await Promise.all([...new Set([...admitting, ...settling])].map((ledger) => ledger.close()));
    },
  };
}

/** The result of one round of a design. */
export interface Round {
  pairsPerSecond: number;
  p50Ms: number;
  p99Ms: number;
  /** Processor time per pair, of this process and of all of PostgreSQL. */
  nodeCpuUs: number;
  postgresCpuUs: number | undefined;
  /** Items in a call, and how long a call took, on average. */
  itemsPerCall: number;
  callMs: number;
}

interface MeasureOptions {
  design: Design;
  customers: readonly Customer[];
  callers: number;
  durationMs: number;
  postgresCpuMs: () => number | undefined;
}

export async function measureRound(options: MeasureOptions): Promise<Round> {
  const { design, customers, callers, durationMs, postgresCpuMs } = options;
  design.takeCalls();
  const cpuBeforeMs = postgresCpuMs();
  const ridden = await ride({ design, customers, callers, durationMs });
  const cpuAfterMs = postgresCpuMs();
  const calls = design.takeCalls();
  const { pairs, elapsedMs, cpuMs, latenciesMs } = ridden;
  return {
    pairsPerSecond: (pairs / elapsedMs) * 1_000,
    p50Ms: quantile(latenciesMs, 0.5),
    p99Ms: quantile(latenciesMs, 0.99),
    nodeCpuUs: (cpuMs / pairs) * 1_000,
    postgresCpuUs:
      cpuBeforeMs === undefined || cpuAfterMs === undefined
        ? undefined
        : ((cpuAfterMs - cpuBeforeMs) / pairs) * 1_000,
    itemsPerCall: mean(calls, (call) => call.settlements + call.admissions),
    callMs: mean(calls, (call) => call.durationMs),
  };
}

/** For a sorted list. */
function quantile(sorted: readonly number[], part: number): number {
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))] ?? Number.NaN;
}

function mean(calls: readonly BatchMeasure[], of: (call: BatchMeasure) => number): number {
  return calls.reduce((sum, call) => sum + of(call), 0) / calls.length;
}

interface Ridden {
  /** Holds that were placed and charged. */
  pairs: number;
  elapsedMs: number;
  /** For this process, user and system. */
  cpuMs: number;
  /** For each pair, from the request for the hold to the reply to the charge. Sorted. */
  latenciesMs: number[];
}

interface RideOptions {
  design: Design;
  customers: readonly Customer[];
  callers: number;
  durationMs: number;
}

const HOLD_NANO = toNanoUsd(50_000n);
const MOST_TOKENS = 400;
const COST_NANO = toNanoUsd(20_000n);
/** One request in ten has an Idempotency-Key, and an answer that is kept. */
const IDEMPOTENT_EVERY = 10;
const ANSWER = randomBytes(2_048);

/** Callers who hold and charge repeatedly, each waiting for its replies like a request. */
async function ride({ design, customers, callers, durationMs }: RideOptions): Promise<Ridden> {
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
  customer: Customer,
  number: number,
): Promise<void> {
  const admit = admitting[caller % admitting.length];
  const settle = settling[caller % settling.length];
  if (!admit || !settle) throw new Error('there is no connection');
  const admission = admissionOf(customer);
  const { holdId, accountId } = admission;
  const isIdempotent = number % IDEMPOTENT_EVERY === 0;
  const { outcome } = await admit.admit({
    ...admission,
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

/** A request of this customer, with a new id. */
export function admissionOf({ accountId, apiKeyId }: Customer): Parameters<GatewayLedger['admit']>[0] {
  const holdId = uuidV7();
  return {
    holdId,
    accountId,
    apiKeyId,
    apiKeyVersion: 1,
    cohortName: 'beta',
    amountNano: HOLD_NANO,
    mostTokens: MOST_TOKENS,
    modelId: 'bench',
    priceVersionId: PRICE_VERSION_ID,
    requestId: holdId,
  };
}

const PRICE_VERSION_ID = uuidV7();
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
