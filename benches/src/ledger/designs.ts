import { randomBytes } from 'node:crypto';
import { uuidV7 } from '@farebox/auth';
import { type BatchMeasure, type GatewayLedger, openGatewayLedger, type Usage } from '@farebox/ledger';
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
  fsync: boolean;
}

/** A way to bring the same operations to the same database functions. */
export interface Design {
  name: string;
  /** Each one has a connection of its own. */
  admitting: GatewayLedger[];
  settling: GatewayLedger[];
  /** Every call since the last time, and none of them any more. */
  takeCalls(): BatchMeasure[];
  close(): Promise<void>;
}

type LedgerAddress = Pick<BenchLedger, 'databaseUrl' | 'pool'>;

/** What the product does: all that waits goes out as one call, on one connection. */
export async function openBatched(address: LedgerAddress): Promise<Design> {
  const calls: BatchMeasure[] = [];
  const ledger = await open(address, calls);
  return toDesign('batched', calls, [ledger], [ledger]);
}

/** So many gateways, each with what `openBatched` has. A caller stays with one of them. */
export async function openGateways(address: LedgerAddress, count: number): Promise<Design> {
  const calls: BatchMeasure[] = [];
  const ledgers: GatewayLedger[] = [];
  for (let i = 0; i < count; i++) ledgers.push(await open(address, calls));
  return toDesign(count === 1 ? '1 gateway' : `${String(count)} gateways`, calls, ledgers, ledgers);
}

/** What is usual: each operation is a call of its own, on a pool of connections. */
export async function openOneCallEach(address: LedgerAddress, connections: number): Promise<Design> {
  const calls: BatchMeasure[] = [];
  const ledgers: GatewayLedger[] = [];
  for (let i = 0; i < connections; i++) ledgers.push(await open(address, calls, 1));
  // A call may take one of each kind: apart, they are one each.
  const half = Math.ceil(connections / 2);
  const name = `one call each (${String(connections)} connections)`;
  return toDesign(name, calls, ledgers.slice(0, half), ledgers.slice(half));
}

const PATIENT_MS = 60_000;

function open(
  { databaseUrl, pool }: LedgerAddress,
  calls: BatchMeasure[],
  maxBatch?: number,
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
    ...(maxBatch === undefined ? {} : { maxBatch }),
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

/** What one round of a design gave. */
export interface Round {
  pairsPerSecond: number;
  p50Ms: number;
  p99Ms: number;
  /** Processor time a pair, of this process and of all of PostgreSQL. */
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

/** Of a sorted list. */
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
  /** Of this process, user and system. */
  cpuMs: number;
  /** Of each pair, from the asking for the hold to the answer of the charge. Sorted. */
  latenciesMs: number[];
}

interface RideOptions {
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

/** A request of this customer, with an id of its own. */
export function admissionOf({ accountId, apiKeyId }: Customer): Parameters<GatewayLedger['admit']>[0] {
  const holdId = uuidV7();
  return {
    holdId,
    accountId,
    apiKeyId,
    apiKeyVersion: 1,
    cohortName: 'beta',
    amountNano: HOLD_NANO,
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
