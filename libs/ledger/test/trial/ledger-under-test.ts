import type pg from 'pg';
import { adjustBalance, InsufficientFundsError, ReferenceTakenError, topUp } from '../../src/account-funds';
import { fromOutcomes, toStatement, type BatchAnswer, type BatchCall } from '../../src/batching/batch-call';
import type { GatewayLedger } from '../../src/gateway-ledger';

import type { Settlement } from '../../src/hold';
import { purgeKeptAnswers } from '../../src/idempotency/kept-answers';
import { sweepAbandonedHolds } from '../../src/lease';
import { openReview, resolveReview } from '../../src/reviews';
import type { Answer, MovementResult, Operation } from '../model/operation';
import {
  changeApiKey,
  changeInvite,
  expireAnswers,
  lapseLease,
  lockAccount,
  moveToCohort,
  renewLease,
} from './changes-from-outside';
import type { Via } from './generated-run';
import type { HoldName, Issue } from './name-operations';

/** The real ledger and its connections. */
export interface LedgerUnderTest {
  servicePool: pg.Pool;
  workerPool: pg.Pool;
  /** The operator's pool, with every right: also for the set-up, the inspection and the passage of time. */
  operatorPool: pg.Pool;
  gateways: Record<Exclude<Via, 'pool'>, GatewayLedger>;
}

/**
 * Runs an operation on the real ledger. An operation through a gateway is queued when this returns, so that
 * items issued in one turn share a call. Rejects if the ledger fails without an answer.
 */
export function issueOperation(
  ledger: LedgerUnderTest,
  accountIds: readonly string[],
  { via, operation }: Issue,
): Promise<Answer> {
  const { servicePool, workerPool, operatorPool } = ledger;
  switch (operation.kind) {
    case 'admit':
    case 'charge':
    case 'release':
      return issueItem(ledger, via, operation);
    case 'refund':
      return ledger.gateways.first.refund(operation.chargeId);
    case 'topUp':
      return toMovementResult(topUp(operatorPool, operation.topUp));
    case 'adjust':
      return toMovementResult(adjustBalance(operatorPool, operation.adjustment));
    case 'openReview':
      return openReview(servicePool, operation);
    case 'resolveReview':
      return resolveReview(operatorPool, operation.reviewId, {
        resolution: operation.resolution,
        resolvedBy: 'ada',
      });
    case 'sweep':
      return sweepAbandonedHolds(workerPool);
    case 'gatewayLost':
      return lapseLease(servicePool, operation.gatewayId).then(() => sweepAbandonedHolds(workerPool));
    case 'renewLease':
      return done(renewLease(servicePool, operation.gatewayId));
    case 'expireAnswers':
      return done(expireAnswers(operatorPool, accountIds));
    case 'purgeKeptAnswers':
      return done(purgeKeptAnswers(workerPool));
    case 'lapseLease':
    case 'dayPasses':
    case 'monthPasses':
      throw new Error(`${operation.kind} cannot be issued by itself`);
    case 'revokeKey':
    case 'rotateKey':
    case 'expireKey':
    case 'setMonthlyLimit':
      return done(changeApiKey(operatorPool, operation));
    case 'suspend':
    case 'activate':
      return done(changeInvite(operatorPool, operation));
    case 'moveToCohort':
      return done(moveToCohort(operatorPool, operation));
    case 'lockAccount':
      return done(lockAccount(operatorPool, operation));
  }
}

/**
 * Leaves no hold behind, so that the cost of a run does not depend on earlier runs, and no sweep finds holds
 * of others.
 */
export async function releaseAll(
  { servicePool, operatorPool }: LedgerUnderTest,
  accountIds: readonly string[],
): Promise<void> {
  const { rows: settlements } = await operatorPool.query<HoldName>(
    'SELECT id AS "holdId", account_id AS "accountId" FROM hold WHERE account_id = ANY ($1)',
    [accountIds],
  );
  if (settlements.length === 0) return;
  const answer = await callBatch(servicePool, undefined, { settlements, admissions: [] });
  const left = answer.settlements.filter((result) => result !== 'resolved').length;
  if (left > 0) throw new Error(`${String(left)} open holds could not be released`);
}

type Item = Extract<Operation, { kind: 'admit' | 'charge' | 'release' }>;

async function issueItem({ servicePool, gateways }: LedgerUnderTest, via: Via, item: Item): Promise<Answer> {
  if (item.kind === 'admit') {
    const { gatewayId, admission } = item;
    if (via !== 'pool') return gateways[via].admit(admission);
    const { admissions } = await callBatch(servicePool, gatewayId, {
      awaitedAccountId: admission.accountId,
      settlements: [],
      admissions: [admission],
    });
    return answered(admissions);
  }
  const { holdId, accountId } = item;
  const settlement: Settlement =
    item.kind === 'release' && item.abandoned
      ? { holdId, accountId, abandoned: item.abandoned }
      : { holdId, accountId, ...(item.kind === 'charge' && { usage: item.usage }) };
  if (via !== 'pool') return gateways[via].settle(settlement);
  const { settlements } = await callBatch(servicePool, undefined, {
    awaitedAccountId: accountId,
    settlements: [settlement],
    admissions: [],
  });
  return answered(settlements);
}

/** A gateway's call, for a gateway without a process here. */
async function callBatch(
  pool: pg.Pool,
  gatewayId: string | undefined,
  call: BatchCall,
): Promise<BatchAnswer> {
  const { rows } = await pool.query<{ outcomes: string }>(toStatement(gatewayId ?? NO_GATEWAY, call));
  return fromOutcomes(call, only(rows).outcomes);
}

const NO_GATEWAY = '00000000-0000-7000-8000-000000000000';

async function toMovementResult(
  movement: Promise<{
    created: boolean;
    balanceAfterNano: Extract<MovementResult, object>['balanceAfterNano'];
  }>,
): Promise<MovementResult> {
  try {
    const { created, balanceAfterNano } = await movement;
    return { created, balanceAfterNano };
  } catch (error) {
    if (error instanceof ReferenceTakenError) return 'reference_taken';
    if (error instanceof InsufficientFundsError) return 'insufficient_funds';
    throw error;
  }
}

async function done(work: Promise<unknown>): Promise<'done'> {
  await work;
  return 'done';
}

function answered<Result>(results: readonly (Result | 'contended')[]): Result {
  const result = only(results);
  if (result === 'contended') throw new Error('the locked account is contended');
  return result;
}

function only<Value>([value]: readonly Value[]): Value {
  if (value === undefined) throw new Error('the ledger gave no answer');
  return value;
}
