import { openGatewayLedger, type BatchMeasure, type GatewayLedger } from '@farebox/ledger';
import type pg from 'pg';

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

interface Place {
  databaseUrl: string;
  pool: pg.Pool;
}

/** What the product does: all that waits goes out as one call, on one connection. */
export async function openBatched(place: Place): Promise<Design> {
  const calls: BatchMeasure[] = [];
  const ledger = await open(place, calls);
  return toDesign('batched', calls, [ledger], [ledger]);
}

/** What is usual: each operation is a call of its own, on a pool of connections. */
export async function openOneCallEach(place: Place, connections: number): Promise<Design> {
  const calls: BatchMeasure[] = [];
  const ledgers: GatewayLedger[] = [];
  for (let i = 0; i < connections; i++) ledgers.push(await open(place, calls, 1));
  // A call may take one of each kind: apart, they are one each.
  const half = Math.ceil(connections / 2);
  const name = `one call each (${String(connections)} connections)`;
  return toDesign(name, calls, ledgers.slice(0, half), ledgers.slice(half));
}

const PATIENT_MS = 60_000;

function open(
  { databaseUrl, pool }: Place,
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
