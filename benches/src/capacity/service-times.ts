import { closeSync, fdatasyncSync, mkdtempSync, openSync, rmSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { median } from '../bench';
import type { BenchLedger, Customer } from '../database';
import { customersInTurn, measureCalls, openForm } from '../ledger/batch-costs';
import type { ServiceTimes } from './simulation';

/** A call as it was measured: so many items, holds and charges together, of so many accounts. */
export interface MeasuredCall {
  items: number;
  accounts: number;
  cpuUs: number;
}

/** Of each kind in a call. Calls of one or two are written in another form, and are none that capacity is about. */
const SIZES = [4, 16, 64, 128];

/** Calls of several sizes, of one account and of many: medians of the processor time of their server process. */
export async function measureServiceCalls(rounds: number, bench: BenchLedger): Promise<MeasuredCall[]> {
  const form = await openForm(bench, 'capacity');
  const measured: MeasuredCall[] = [];
  for (const customers of [bench.customers.slice(0, 1), bench.customers])
    for (const size of SIZES) measured.push(await measureCall(rounds, form, size, customers));
  await form.ledger.close();
  return measured;
}

async function measureCall(
  rounds: number,
  form: Awaited<ReturnType<typeof openForm>>,
  size: number,
  customers: readonly Customer[],
): Promise<MeasuredCall> {
  const nextOf = customersInTurn(customers);
  const costsUs: number[] = [];
  for (let round = -1; round < rounds; round++) {
    const { both } = await measureCalls(form, size, nextOf);
    if (round >= 0) costsUs.push(both);
  }
  // The charges are of other accounts than the holds beside them.
  return { items: 2 * size, accounts: Math.min(2 * size, customers.length), cpuUs: median(costsUs) };
}

type CallCosts = Pick<ServiceTimes, 'callUs' | 'itemUs' | 'accountUs'>;

/** The three prices that fit the calls best: the least squares of what they are off, relative to the call. */
export function fitCallCosts(calls: readonly MeasuredCall[]): CallCosts {
  const rows = calls.map(({ items, accounts, cpuUs }) => [1 / cpuUs, items / cpuUs, accounts / cpuUs]);
  const normal = [0, 1, 2].map((i) => [
    ...[0, 1, 2].map((j) => sumOf(rows, (row) => at(row, i) * at(row, j))),
    sumOf(rows, (row) => at(row, i)),
  ]);
  const [callUs = 0, itemUs = 0, accountUs = 0] = solve(normal);
  return { callUs, itemUs, accountUs };
}

/** How far the fit is off a call at most, as a part of it. */
export function worstMisfit(
  calls: readonly MeasuredCall[],
  { callUs, itemUs, accountUs }: CallCosts,
): number {
  return Math.max(
    ...calls.map(({ items, accounts, cpuUs }) =>
      Math.abs((callUs + itemUs * items + accountUs * accounts) / cpuUs - 1),
    ),
  );
}

function at(row: readonly number[], index: number): number {
  return row[index] ?? 0;
}

function sumOf(rows: readonly number[][], of: (row: number[]) => number): number {
  return rows.reduce((sum, row) => sum + of(row), 0);
}

/** Gauss and Jordan, with the right side as the last column. */
function solve(matrix: readonly (readonly number[])[]): number[] {
  const rows = matrix.map((row) => [...row]);
  for (const [pivot] of rows.entries()) {
    const best = rows.reduce(
      (found, row, index) =>
        index >= pivot && Math.abs(at(row, pivot)) > Math.abs(at(rows[found] ?? [], pivot)) ? index : found,
      pivot,
    );
    [rows[pivot], rows[best]] = [rows[best] ?? [], rows[pivot] ?? []];
    const row = rows[pivot];
    const divisor = at(row, pivot);
    rows[pivot] = row.map((value) => value / divisor);
    for (const [index, other] of rows.entries()) {
      if (index === pivot) continue;
      const factor = at(other, pivot);
      rows[index] = other.map((value, column) => value - factor * at(rows[pivot] ?? [], column));
    }
  }
  return rows.map((row) => at(row, rows.length));
}

const FLUSHES = 200;
/** A page of PostgreSQL's log. */
const FLUSHED_BYTES = 8_192;

/** How long this machine's disk takes to have a page of a log written for certain: the median. */
export function measureFlushMs(): number {
  const folder = mkdtempSync(path.join(tmpdir(), 'farebox-flush-'));
  const file = openSync(path.join(folder, 'log'), 'w');
  try {
    const page = Buffer.alloc(FLUSHED_BYTES, 1);
    writeSync(file, Buffer.alloc(FLUSHES * FLUSHED_BYTES));
    fdatasyncSync(file);
    const durationsMs = Array.from({ length: FLUSHES }, (_, index) => {
      const startedAtMs = performance.now();
      writeSync(file, page, 0, FLUSHED_BYTES, index * FLUSHED_BYTES);
      fdatasyncSync(file);
      return performance.now() - startedAtMs;
    });
    return median(durationsMs);
  } finally {
    closeSync(file);
    rmSync(folder, { recursive: true });
  }
}
