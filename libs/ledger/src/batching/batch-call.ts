import { toNanoUsd } from '@farebox/money';
import {
  NO_ROOM,
  type Admission,
  type AdmissionResult,
  type NoRoom,
  type Settlement,
  type SettlementResult,
  type UsageRoute,
} from '../hold';

/** What goes to the ledger in one round trip, as one transaction. */
export interface BatchCall {
  /** The one account whose lock is waited for; all others are taken only if they are free. */
  awaitedAccountId?: string | undefined;
  settlements: readonly Settlement[];
  /** Sorted by account; in order of arrival within one. */
  admissions: readonly Admission[];
  /** Whether its commit is to wait for the disk. */
  durably?: boolean;
}

/** `contended`: somebody else has the account's lock, and nothing was done. */
export interface BatchAnswer {
  settlements: (SettlementResult | 'contended')[];
  admissions: (AdmissionResult | 'contended')[];
  /** Whether what was done is on the disk. */
  isDurable?: boolean;
}

export interface BatchRow {
  resolved: string | null;
  outcomes: string | null;
  available_nano: string | null;
  replayed: string | null;
  contended: string | null;
}

/** The columns come back as text, so that the driver builds no arrays that are only looked through once. */
const BATCH_SQL = `
  SELECT array_to_string(resolved, ',') AS resolved,
         array_to_string(outcomes, ',') AS outcomes,
         array_to_string(available_nano, ',', '') AS available_nano,
         array_to_string(replayed_hold_id, ',', '') AS replayed,
         array_to_string(contended, ',') AS contended
  FROM ledger_run_batch($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19, $20,
                        $21, $22, $23, $24, $25, $26, $27, $28, $29, $30, $31)`;

/** What PostgreSQL is asked for a call: prepared once on each connection, under its name. */
export interface CallStatement {
  name: string;
  text: string;
  values: (string | number | boolean | undefined)[];
}

/** What the functions say of each item: the outcome, and after a colon what belongs to it. */
export type LoneRow = Partial<Record<`${'settled' | 'placed'}_${'0' | '1' | '2'}`, string>>;

/** For at most three items of a kind, by how many of each: what they cost PostgreSQL stands in the ledger's README. */
const LONE_STATEMENTS = [0, 1, 2, 3].map((settlements) =>
  [0, 1, 2, 3].map((admissions) => ({
    name: `ledger_settle_${String(settlements)}_place_${String(admissions)}`,
    text: toLoneText(settlements, admissions),
  })),
);

/** Charges and releases come first, as in a batch: what they give back is there for the holds. */
function toLoneText(settlements: number, admissions: number): string {
  let given = 0;
  const calls = (count: number, name: string, parameters: number, answer: string): string[] =>
    Array.from({ length: count }, (_call, i) => {
      const values = Array.from({ length: parameters }, () => `$${String(++given)}`);
      return `${name}(${values.join(', ')}) AS ${answer}_${String(i)}`;
    });
  return `SELECT ${[
    ...calls(settlements, 'ledger_settle_hold', 18, 'settled'),
    ...calls(admissions, 'ledger_place_hold', 12, 'placed'),
  ].join(', ')}`;
}

/** Undefined if the call has no item, more than three of a kind, or waits for a lock. */
export function toLoneStatement(
  gatewayInstanceId: string,
  { awaitedAccountId, settlements, admissions }: BatchCall,
): CallStatement | undefined {
  if (awaitedAccountId !== undefined || settlements.length + admissions.length === 0) return undefined;
  const statement = LONE_STATEMENTS[settlements.length]?.[admissions.length];
  if (!statement) return undefined;
  const values: CallStatement['values'] = [];
  for (const settlement of settlements) values.push(...toSettlementValues(settlement));
  for (const admission of admissions) values.push(...toAdmissionValues(gatewayInstanceId, admission));
  return { ...statement, values };
}

function toSettlementValues(settlement: Settlement): CallStatement['values'] {
  const { holdId, accountId, usage } = settlement;
  const route = routeOf(settlement);
  return [
    holdId,
    accountId,
    usage?.measuredCostNano.toString(),
    usage?.promptTokens,
    usage?.completionTokens,
    usage?.cachedTokens,
    usage?.cacheWriteTokens,
    usage?.reasoningTokens,
    usage?.images,
    route?.upstreamId,
    route?.upstreamModel,
    route?.costNano?.toString(),
    outcomeOf(settlement),
    usage?.streamed,
    usage?.estimated,
    usage?.latencyMs,
    usage?.firstTokenMs,
    toAnswer(usage?.answer),
  ];
}

/** Of an abandoned request, the cost that the operator has and nobody pays for stands in the place of its route's. */
function routeOf({ usage, abandoned }: Settlement): Partial<UsageRoute> | undefined {
  return abandoned ? { ...abandoned.route, costNano: abandoned.costNano } : usage?.route;
}

function outcomeOf({ usage, abandoned }: Settlement): string | undefined {
  return abandoned ? 'abandoned' : usage?.outcome;
}

function toAdmissionValues(gatewayInstanceId: string, a: Admission): CallStatement['values'] {
  return [
    gatewayInstanceId,
    a.holdId,
    a.accountId,
    a.apiKeyId,
    a.apiKeyVersion,
    a.cohortName,
    a.amountNano.toString(),
    a.modelId,
    a.priceVersionId,
    a.requestId,
    a.idempotency?.key,
    toHex(a.idempotency?.fingerprint),
  ];
}

export function fromLoneRow({ settlements, admissions }: BatchCall, row: LoneRow): BatchAnswer {
  const settled = [row.settled_0, row.settled_1, row.settled_2];
  const placed = [row.placed_0, row.placed_1, row.placed_2];
  return {
    settlements: settlements.map((_, i) => toSettlementResult(settled[i])),
    admissions: admissions.map((_, i) => {
      const [outcome, detail] = placed[i]?.split(':') ?? [];
      return outcome === 'contended' ? outcome : toAdmissionResult(outcome, detail, detail);
    }),
  };
}

function toSettlementResult(settled: string | undefined): SettlementResult | 'contended' {
  if (settled === 'resolved' || settled === 'not_held' || settled === 'contended') return settled;
  throw new Error('the ledger did not answer what became of a hold');
}

export function toBatchStatement(
  gatewayInstanceId: string,
  { awaitedAccountId, settlements, admissions }: BatchCall,
): CallStatement {
  const values = [
    awaitedAccountId,
    toPlainArray(settlements.map((s) => s.holdId)),
    toPlainArray(settlements.map((s) => s.accountId)),
    toPlainArray(settlements.map((s) => s.usage?.measuredCostNano)),
    toPlainArray(settlements.map((s) => s.usage?.promptTokens)),
    toPlainArray(settlements.map((s) => s.usage?.completionTokens)),
    toPlainArray(settlements.map((s) => s.usage?.cachedTokens)),
    toPlainArray(settlements.map((s) => s.usage?.cacheWriteTokens)),
    toPlainArray(settlements.map((s) => s.usage?.reasoningTokens)),
    toPlainArray(settlements.map((s) => s.usage?.images)),
    toTextArray(settlements.map((s) => routeOf(s)?.upstreamId)),
    toTextArray(settlements.map((s) => routeOf(s)?.upstreamModel)),
    toPlainArray(settlements.map((s) => routeOf(s)?.costNano)),
    toPlainArray(settlements.map(outcomeOf)),
    toPlainArray(settlements.map((s) => s.usage?.streamed)),
    toPlainArray(settlements.map((s) => s.usage?.estimated)),
    toPlainArray(settlements.map((s) => s.usage?.latencyMs)),
    toPlainArray(settlements.map((s) => s.usage?.firstTokenMs)),
    toTextArray(settlements.map((s) => toAnswer(s.usage?.answer))),
    gatewayInstanceId,
    toPlainArray(admissions.map((a) => a.holdId)),
    toPlainArray(admissions.map((a) => a.accountId)),
    toPlainArray(admissions.map((a) => a.apiKeyId)),
    toPlainArray(admissions.map((a) => a.apiKeyVersion)),
    toTextArray(admissions.map((a) => a.cohortName)),
    toPlainArray(admissions.map((a) => a.amountNano)),
    toTextArray(admissions.map((a) => a.modelId)),
    toPlainArray(admissions.map((a) => a.priceVersionId)),
    toTextArray(admissions.map((a) => a.requestId)),
    toTextArray(admissions.map((a) => a.idempotency?.key)),
    toTextArray(admissions.map((a) => toHex(a.idempotency?.fingerprint))),
  ];
  return { name: 'ledger_run_batch', text: BATCH_SQL, values };
}

/** The empty answer means one that was written before. */
function toAnswer(answer: Uint8Array | 'staged' | undefined): string | undefined {
  return answer === 'staged' ? '\\x' : toHex(answer);
}

/** Bytes as PostgreSQL reads them. */
function toHex(bytes: Uint8Array | undefined): string | undefined {
  return bytes && `\\x${Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('hex')}`;
}

export function fromBatchRow(call: BatchCall, row: BatchRow): BatchAnswer {
  const resolved = new Set(row.resolved?.split(','));
  const outcomes = row.outcomes?.split(',') ?? [];
  const available = row.available_nano?.split(',') ?? [];
  const replayed = row.replayed?.split(',') ?? [];
  const contended = new Set(row.contended === null || row.contended === '' ? [] : row.contended.split(','));
  return {
    settlements: call.settlements.map(({ accountId, holdId }) =>
      contended.has(accountId) ? 'contended' : resolved.has(holdId) ? 'resolved' : 'not_held',
    ),
    admissions: call.admissions.map(({ accountId }, i) =>
      contended.has(accountId) ? 'contended' : toAdmissionResult(outcomes[i], available[i], replayed[i]),
    ),
  };
}

function toAdmissionResult(
  outcome: string | undefined,
  available: string | undefined,
  replayed: string | undefined,
): AdmissionResult {
  if (outcome === 'insufficient_funds') return { outcome, availableNano: toNanoUsd(BigInt(available ?? '')) };
  if (NO_ROOM.some((refusal) => refusal === outcome))
    return {
      outcome: outcome as Exclude<NoRoom, 'insufficient_funds'>,
      leftNano: toNanoUsd(BigInt(available ?? '')),
    };
  if (outcome === 'replay') return { outcome, holdId: replayed ?? '' };
  if (outcome === undefined) throw new Error('the ledger answered fewer outcomes than it was asked for');
  return { outcome } as AdmissionResult;
}

/** PostgreSQL array literals. One text parameter for a whole column costs less than the driver's own conversion. */

/** Of values that need no quotes: numbers, booleans and ids. Absent values become NULL. */
export function toPlainArray(values: readonly (string | number | bigint | boolean | undefined)[]): string {
  let text = '{';
  for (let i = 0; i < values.length; i++) {
    if (i > 0) text += ',';
    text += values[i] === undefined ? 'NULL' : String(values[i]);
  }
  return `${text}}`;
}

const NEEDS_ESCAPE = /["\\]/;

/** Of text. Absent values become NULL, the text "NULL" does not. */
export function toTextArray(values: readonly (string | undefined)[]): string {
  let text = '{';
  for (let i = 0; i < values.length; i++) {
    if (i > 0) text += ',';
    const value = values[i];
    text +=
      value === undefined
        ? 'NULL'
        : `"${NEEDS_ESCAPE.test(value) ? value.replace(/["\\]/g, '\\$&') : value}"`;
  }
  return `${text}}`;
}
