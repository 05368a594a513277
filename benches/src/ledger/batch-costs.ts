import { type GatewayLedger, openGatewayLedger } from '@farebox/ledger';
import { toNanoUsd } from '@farebox/money';
import { median, toMarkdownTable } from '../bench';
import type { BenchLedger, Customer } from '../database';
import { readProcessStat } from '../processes';
import { admissionOf, USAGE } from './designs';

const SIZES = [1, 2, 3, 4, 8, 16, 64, 256, 512];
/** Items of one kind that a round places and charges, whatever the size of its calls. */
const ITEMS_A_ROUND = 256;
const ROUTE = { upstreamId: 'bench', upstreamModel: 'bench', costNano: toNanoUsd(10_000n) };
const PATIENT_MS = 60_000;

/** The ledger's way of writing the items of its calls, and its cost for the server process. */
export interface Form {
  name: string;
  ledger: GatewayLedger;
  cpuMs: () => number;
}

/** Processor time of PostgreSQL for one call, in µs. */
interface Cost {
  hold: number;
  charge: number;
  both: number;
}

/**
 * PostgreSQL's cost of a call of this many items: holds, charges, and as many of each together. The ledger's own
 * choice, and with all items written row by row, and table by table. Returns a table of medians.
 */
export async function measureBatchCosts(rounds: number, bench: BenchLedger): Promise<string> {
  const forms: Form[] = [];
  for (const [name, fewItems] of [
    ['as it is', undefined],
    ['row by row', 1_000],
    ['table by table', 0],
  ] as const)
    forms.push(await openForm(bench, name, fewItems));
  const nextOf = customersInTurn(bench.customers);
  const lines: string[][] = [];
  for (const size of SIZES) {
    const costs = forms.map(() => [] as Cost[]);
    for (let round = -1; round < rounds; round++)
      for (const [i, form] of forms.entries()) {
        const cost = await measureCalls(form, size, nextOf);
        if (round >= 0) costs[i]?.push(cost);
      }
    lines.push([String(size), ...KINDS.flatMap((kind) => costs.map((of) => inMicroseconds(of, kind)))]);
  }
  for (const { ledger } of forms) await ledger.close();
  const headers = KINDS.flatMap((kind) => forms.map(({ name }) => `${kind}: ${name}`));
  return toMarkdownTable(['items', ...headers], lines);
}

const KINDS = ['hold', 'charge', 'both'] as const;

function inMicroseconds(costs: readonly Cost[], kind: keyof Cost): string {
  return Math.round(median(costs.map((cost) => cost[kind]))).toLocaleString('en');
}

export async function openForm(bench: BenchLedger, name: string, fewItems?: number): Promise<Form> {
  const databaseUrl = new URL(bench.databaseUrl);
  databaseUrl.searchParams.set('application_name', name);
  if (fewItems !== undefined)
    databaseUrl.searchParams.set('options', `-c farebox.few_items=${String(fewItems)}`);
  const ledger = await openGatewayLedger({
    databaseUrl: databaseUrl.href,
    pool: bench.pool,
    leaseMs: 600_000,
    // One call, whatever its size.
    minHalf: Infinity,
    admissionTimeoutMs: PATIENT_MS,
    settlementTimeoutMs: PATIENT_MS,
    onLeaseError: (error) => {
      throw error;
    },
  });
  await charge(ledger, await place(ledger, 1, customersInTurn(bench.customers)));
  const { rows } = await bench.pool.query<{ pid: number }>(
    `SELECT pid FROM pg_stat_activity
     WHERE datname = current_database() AND pid <> pg_backend_pid() AND query ~ 'ledger_(run_batch|settle_hold|place_hold)'
     ORDER BY backend_start DESC LIMIT 1`,
  );
  const pid = rows[0]?.pid ?? 0;
  return { name, ledger, cpuMs: () => readProcessStat(pid).cpuMs };
}

/** For calls of this many items of a kind. */
export async function measureCalls(
  { ledger, cpuMs }: Form,
  size: number,
  nextOf: () => Customer,
): Promise<Cost> {
  const calls = Math.ceil(ITEMS_A_ROUND / size);
  const microseconds = async (work: () => Promise<void>): Promise<number> => {
    const beforeMs = cpuMs();
    await work();
    return ((cpuMs() - beforeMs) / calls) * 1_000;
  };
  const placed: Held[][] = [];
  const hold = await microseconds(async () => {
    for (let i = 0; i < calls; i++) placed.push(await place(ledger, size, nextOf));
  });
  const charged = await microseconds(async () => {
    for (const held of placed) await charge(ledger, held);
  });
  let last = await place(ledger, size, nextOf);
  const both = await microseconds(async () => {
    for (let i = 0; i < calls; i++)
      [, last] = await Promise.all([charge(ledger, last), place(ledger, size, nextOf)]);
  });
  await charge(ledger, last);
  return { hold, charge: charged, both };
}

interface Held {
  holdId: string;
  accountId: string;
}

/** Requests of one turn go out as one call. */
async function place(ledger: GatewayLedger, size: number, nextOf: () => Customer): Promise<Held[]> {
  return Promise.all(
    Array.from({ length: size }, async () => {
      const admission = admissionOf(nextOf());
      const { outcome } = await ledger.admit(admission);
      if (outcome !== 'admitted') throw new Error(`a hold was refused: ${outcome}`);
      return { holdId: admission.holdId, accountId: admission.accountId };
    }),
  );
}

async function charge(ledger: GatewayLedger, held: readonly Held[]): Promise<void> {
  const usage = { ...USAGE, cachedTokens: 20, route: ROUTE };
  const settled = await Promise.all(held.map((one) => ledger.settle({ ...one, usage })));
  if (settled.some((result) => result !== 'resolved')) throw new Error('a charge found no hold');
}

export function customersInTurn(customers: readonly Customer[]): () => Customer {
  let next = 0;
  return () => {
    const customer = customers[(next++ * 7_919) % customers.length];
    if (!customer) throw new Error('there is no customer');
    return customer;
  };
}
