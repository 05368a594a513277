import { uuidV7 } from '@farebox/auth';
import type { NanoUsd } from '@farebox/money';
import type pg from 'pg';
import { countUnpaid, refundLostResponse } from './account-funds';
import { Batcher } from './batching/batcher';
import type { BatchMeasure } from './batching/lane';
import { openLedgerConnection } from './batching/ledger-connection';
import { DiskRoom } from './disk-room';
import { passOnFailedCharge, RetryQueue } from './failed-charges';
import {
  fitSettlement,
  HoldLostError,
  LedgerUnavailableError,
  type Admission,
  type AdmissionResult,
  type FailedCharge,
  type Settlement,
  type SettlementResult,
} from './hold';
import {
  createKeptAnswers,
  type AnswerClaim,
  type AnswerOwner,
  type KeptBytes,
} from './idempotency/kept-answers';
import { startLease } from './lease';
import { countImplausibleUsage } from './reviews';

/** The ledger as a gateway uses it. */
export interface GatewayLedger {
  /** Places a hold, or returns why not. Throws `LedgerUnavailableError`, also while the database's disk is full. */
  admit(admission: Admission): Promise<AdmissionResult>;
  /**
   * A hold is in force when it is answered, and durable some time later: speeds that up, and resolves then; undefined
   * if it is already durable. Nothing may be delivered before that; the answer to its charge proves the same. Throws
   * `HoldLostError` if the database has lost it in a crash, and `LedgerUnavailableError` if that is not known in
   * time.
   */
  holdDurable(holdId: string): Promise<void> | undefined;
  /** Calls back if the database is found to have lost a hold that has not ended. */
  onHoldLost(holdId: string, listener: () => void): void;
  /**
   * Aborts the switch if the account of a hold loses its access before the hold is settled. That is found when the lease
   * is renewed.
   */
  onAccountBarred(holdId: string, barred: { abort(): void }): void;
  /**
   * Ends a hold with a charge or a release, counted as abandoned or not, and resolves when that is durable. Throws
   * `HoldLostError` if there is nothing to charge because the database has lost the hold, and
   * `LedgerUnavailableError` if the outcome is not known. The hold does not stay open then: as soon as the database
   * answers, a failed charge becomes a review, and a failed release is done. If the charge was handed over, it throws
   * `ChargeHandedOverError`. This process takes care of all of it as long as it lives. Usage that `isUncounted` is
   * never charged: it is handed over, and throws the same.
   */
  settle(settlement: Settlement): Promise<SettlementResult>;
  /**
   * Writes a long answer part by part, before its charge and apart from the calls that carry other charges. Returns
   * whether all of it was written: the charge then has `staged`. Does not throw; if it was not written, the charge is
   * made without it.
   */
  stageAnswer(owner: AnswerOwner, parts: Iterable<Uint8Array>): Promise<boolean>;
  /** The encrypted answer of a charged request; undefined if it is no longer kept. */
  readAnswer(claim: AnswerClaim): Promise<KeptBytes | undefined>;
  /**
   * Refunds a charge, once, if nothing of its response was written; with `unlessKept` only if a repetition does not
   * get it. It counts as abandoned, and from the third of an account's day on it opens a review. Returns whether this
   * call did it. If it throws, it is retried later.
   */
  refund(chargeId: string, options?: { unlessKept: boolean }): Promise<boolean>;
  /**
   * Counts on the account's allowance the cost of a charged stream beyond its charge, because its client had left.
   * Returns whether this call did it. If it throws, it is retried later.
   */
  countUnpaid(chargeId: string, costNano: NanoUsd): Promise<boolean>;
  /** Whether it can be asked now, its disk has room, and this process's lease is live, as far as is known. */
  readonly isConnected: boolean;
  /**
   * From now on nobody waits for the ledger: unanswered calls throw as if their time were over, and charges are
   * handed over. For a process that must end soon.
   */
  stopWaiting(): void;
  /** Settles the queue, then ends the lease. */
  close(): Promise<void>;
}

export interface GatewayLedgerOptions {
  databaseUrl: string;
  /** For unbatched work: the lease, refunds and reviews. */
  pool: pg.Pool;
  leaseMs?: number;
  /** Maximum bytes of kept answers per account at once. */
  keptBytesPerAccount?: number;
  admissionTimeoutMs?: number;
  settlementTimeoutMs?: number;
  /** Maximum items of a kind in one call. */
  maxBatch?: number;
  /**
   * Items that each half of the accounts must have waiting for both connections to share them. `Infinity`: never.
   */
  minHalf?: number;
  onLeaseError: (error: unknown) => void;
  /**
   * Hands a charge of unknown outcome over to a receiver that completes it, however late and maybe more than once:
   * `concludeCharge`. Throws, in bounded time, if it was not accepted. Without it, only this process knows the
   * charge.
   */
  handOver?: ((charge: FailedCharge) => Promise<void>) | undefined;
  /** After this time this process itself opens the review of a charge that was handed over, if nobody has done it. */
  handOverGraceMs?: number;
  /** Called when the database's disk is found full, and when it has room again. */
  onDiskFull?: ((isFull: boolean) => void) | undefined;
  /** Called after each call of the batcher, for metrics. */
  onBatch?: ((batch: BatchMeasure) => void) | undefined;
}

const DEFAULT_LEASE_MS = 30_000;
const DEFAULT_KEPT_BYTES_PER_ACCOUNT = 256 * 1024 * 1024;
const DEFAULT_ADMISSION_TIMEOUT_MS = 1_500;
const DEFAULT_SETTLEMENT_TIMEOUT_MS = 5_000;
/** Thousands of streams end at once if a process or a proxy does, and a machine may be slow just then. */
const UNATTENDED_TIMEOUT_MS = 15_000;
const DEFAULT_MAX_BATCH = 512;
const DEFAULT_MIN_HALF = 64;
const MAX_QUEUED_ADMISSIONS = 10_000;
const MAX_QUEUED_SETTLEMENTS = 50_000;
const RETRY_PAUSE_MS = 500;
/** In the main lanes only for locks other than an account's, as while a migration changes a table. */
const LOCK_TIMEOUT_MS = { main: 500, contended: 100, flusher: 500 };
const DEFAULT_HAND_OVER_GRACE_MS = 30_000;

/** Connects, registers this process as a gateway and keeps its lease. Throws if the database cannot be reached. */
export async function openGatewayLedger(options: GatewayLedgerOptions): Promise<GatewayLedger> {
  const { databaseUrl, pool, onLeaseError } = options;
  const gatewayInstanceId = uuidV7();
  const settlementTimeoutMs = options.settlementTimeoutMs ?? DEFAULT_SETTLEMENT_TIMEOUT_MS;
  const keptBytesPerAccount = options.keptBytesPerAccount ?? DEFAULT_KEPT_BYTES_PER_ACCOUNT;
  const disk = new DiskRoom({ pool, pauseMs: RETRY_PAUSE_MS, onFull: options.onDiskFull });
  const batcher = new Batcher({
    connect: (predecessor, lane) =>
      openLedgerConnection({
        databaseUrl,
        gatewayInstanceId,
        keptBytesPerAccount,
        callTimeoutMs: settlementTimeoutMs,
        lockTimeoutMs: LOCK_TIMEOUT_MS[lane],
        predecessor,
      }),
    maxBatch: options.maxBatch ?? DEFAULT_MAX_BATCH,
    minHalf: options.minHalf ?? DEFAULT_MIN_HALF,
    maxQueuedAdmissions: MAX_QUEUED_ADMISSIONS,
    maxQueuedSettlements: MAX_QUEUED_SETTLEMENTS,
    admissionTimeoutMs: options.admissionTimeoutMs ?? DEFAULT_ADMISSION_TIMEOUT_MS,
    settlementTimeoutMs,
    unattendedTimeoutMs: Math.max(UNATTENDED_TIMEOUT_MS, settlementTimeoutMs),
    onRefused: (error) => {
      disk.note(error);
    },
    onBatch: options.onBatch,
  });
  await batcher.connect();
  const leaseMs = options.leaseMs ?? DEFAULT_LEASE_MS;
  const running = new Map<string, { abort(): void }>();
  const onBarred = (holdIds: string[]): void => {
    for (const holdId of holdIds) running.get(holdId)?.abort();
  };
  const lease = await startLease({
    pool,
    gatewayInstanceId,
    leaseMs,
    onError: onLeaseError,
    onBarred,
  }).catch(async (error: unknown) => {
    await batcher.close();
    throw error;
  });
  const retryQueue = new RetryQueue({ pauseMs: RETRY_PAUSE_MS });
  const keptAnswers = createKeptAnswers({ pool, keptBytesPerAccount });

  return {
    admit(admission) {
      if (disk.isFull) return Promise.reject(new LedgerUnavailableError("the database's disk is full"));
      return batcher.admit(admission);
    },
    holdDurable: (holdId) => batcher.holds.durable(holdId),
    onHoldLost(holdId, listener) {
      batcher.holds.onLost(holdId, listener);
    },
    onAccountBarred(holdId, barred) {
      running.set(holdId, barred);
    },
    async settle(asked) {
      running.delete(asked.holdId);
      const settlement = fitSettlement(asked);
      if (settlement.usage?.isUncounted) {
        batcher.holds.delete(settlement.holdId);
        throw await giveUp(settlement, new Error('the tokens could not be counted'));
      }
      try {
        const result = await batcher.settle(settlement);
        if (result === 'resolved' && settlement.usage?.isReportImplausible)
          retryQueue.add(() => countImplausibleUsage(pool, settlement));
        return result;
      } catch (error) {
        if (error instanceof HoldLostError) throw error;
        throw await giveUp(settlement, error);
      }
    },
    refund: (chargeId, { unlessKept } = { unlessKept: false }) =>
      nowOrLater(() => refundLostResponse(pool, chargeId, { unlessKept })),
    countUnpaid: (chargeId, costNano) => nowOrLater(() => countUnpaid(pool, chargeId, costNano)),
    stageAnswer: (owner, parts) => keptAnswers.write(owner, parts),
    readAnswer: (claim) => keptAnswers.read(claim),
    get isConnected() {
      return batcher.isConnected && !disk.isFull && lease.isLive;
    },
    stopWaiting() {
      batcher.stopWaiting();
    },
    async close() {
      disk.stop();
      retryQueue.stop();
      await batcher.close();
      await lease.end();
    },
  };

  /** Retries the work later, until it is done, if it fails now. */
  async function nowOrLater(work: () => Promise<boolean>): Promise<boolean> {
    try {
      return await work();
    } catch (error) {
      retryQueue.add(work);
      throw error;
    }
  }

  /** Takes care of a settlement of unknown outcome. Returns its caller's error. */
  async function giveUp(settlement: Settlement, error: unknown): Promise<unknown> {
    const { holdId, accountId, usage } = settlement;
    if (!usage) {
      retryQueue.add(() => batcher.settle(settlement));
      return error;
    }
    const measured = { ...usage };
    delete measured.answer;
    // It becomes a review anyway.
    delete measured.isReportImplausible;
    if (!measured.isUncounted) delete measured.isUncounted;
    const charge = { holdId, accountId, usage: measured };
    const { handOver, handOverGraceMs = DEFAULT_HAND_OVER_GRACE_MS } = options;
    return passOnFailedCharge({ pool, retryQueue, handOver, handOverGraceMs }, charge, error);
  }
}
