import { createHash, randomUUID } from 'node:crypto';
import { Coalescer } from '@farebox/flow';
import type { Redis } from 'ioredis';
import type { Decided } from './known-room';
import {
  LIMIT_SCOPES,
  scopeCountOf,
  type LimitedCaller,
  type LimiterSettings,
  type RequestKind,
} from './request-limits';
import { LIMIT_SCRIPT } from './redis-script';

export interface RedisCallsOptions {
  redis: Redis;
  settings: LimiterSettings;
  /** Maximum wait of a request: half for the running call, half for its own. */
  timeoutMs: number;
  /** After this time without a renewal, a request no longer counts as running. */
  leaseMs: number;
}

/** Redis's decision on one request. */
export interface RedisDecision extends Decided {
  outcome: 'admitted' | 'window_full' | 'too_many_at_once';
  /** Until the oldest request of the key's window ages out. */
  resetMs: number;
  /** The same for the window that is full. */
  retryAfterMs: number;
  /** Differs from the one before if Redis has lost its memory meanwhile, or another server has taken over. */
  epoch: string;
}

interface Asking extends Admitted {
  /** The log and the running requests of each scope. */
  keys: readonly string[];
  resolve: (decision: RedisDecision) => void;
  reject: (error: unknown) => void;
}

/** A request that was admitted. */
interface Admitted {
  member: string;
  /** For each scope. */
  runningKeys: readonly string[];
}

/** The reports of one call about requests that were admitted before. */
interface Told {
  ended: readonly Admitted[];
  runsOn: readonly Admitted[];
}

type ScriptAnswer = readonly (string | number)[];

const PREFIX = 'farebox:limit:';
const EPOCH_KEY = `${PREFIX}epoch`;
const SCRIPT_SHA = createHash('sha1').update(LIMIT_SCRIPT).digest('hex');
const NUMBERS_OF_ITEM = 7;
/** Maximum extra time for which other processes still count a permit that has ended. */
const TOLD_WITHIN_MS = 1;
/** Two renewals may fail before a lease lapses. */
const RENEWALS_OF_LEASE = 3;
/** The script blocks Redis for a microsecond or two for each scope of each request. */
const MAX_RENEWED_AT_ONCE = 200;

export type RedisCalls = ReturnType<typeof createRedisCalls>;

/**
 * Talks to Redis: everything that waits in this process goes out as one call of the script.
 *
 * The next call leaves when the former has been answered, so load forms batches. A late call fails for all who wait,
 * and until it is answered, new requests are refused at once: nothing piles up behind a Redis that hangs. The leases
 * of all running requests are renewed together, in the next calls. If a process stalled or lost its Redis for longer
 * than a lease, the next renewal restores the permits of its running requests.
 */
export function createRedisCalls(options: RedisCallsOptions) {
  const callTimeoutMs = options.timeoutMs / 2;
  let asking: Asking[] = [];
  let ended: Admitted[] = [];
  /** By member. */
  const running = new Map<string, Admitted>();
  let toRenew: string[] = [];
  /** Runs while ended permits wait for a request to go out with. */
  let telling: NodeJS.Timeout | undefined;
  let isTellingDue = false;
  let isLate = false;
  let history = '';
  let isHistoryAsked = false;
  // A replica that takes over keeps the epoch, but may have missed the last requests. Redis answers in the order of
  // the questions, so this one is answered before the calls of the same connection.
  const learnHistory = (): void => {
    isHistoryAsked = true;
    options.redis.info('replication').then(
      (text) => (history = /^master_replid:(\w+)/m.exec(text)?.[1] ?? ''),
      () => (history = ''), // the connection is lost again, or this login may not ask
    );
  };
  const forgetHistory = (): void => {
    isHistoryAsked = false;
  };
  options.redis.on('ready', learnHistory).on('close', forgetHistory);
  if (options.redis.status === 'ready') learnHistory();
  const calls = new Coalescer({
    isDue: () => asking.length > 0 || isTellingDue || toRenew.length > 0,
    send: sendNext,
    begins: 'end_of_turn',
  });
  const renewal = setInterval(() => {
    toRenew = [...running.keys()];
    calls.start();
  }, options.leaseMs / RENEWALS_OF_LEASE).unref();

  async function sendNext(): Promise<void> {
    clearTimeout(telling);
    telling = undefined;
    isTellingDue = false;
    const batch = asking;
    const told = { ended, runsOn: takeRenewals() };
    asking = [];
    ended = [];
    await send(batch, told);
  }

  /** One call for a request, not two: clients usually send another request, whose call reports the ended permits. */
  function tellSoon(): void {
    telling ??= setTimeout(() => {
      telling = undefined;
      isTellingDue = ended.length > 0;
      calls.start();
    }, TOLD_WITHIN_MS);
  }

  /** Requests that still run, for the next renewals. */
  function takeRenewals(): Admitted[] {
    return toRenew.splice(0, MAX_RENEWED_AT_ONCE).flatMap((member) => running.get(member) ?? []);
  }

  async function send(batch: readonly Asking[], told: Told): Promise<void> {
    const wasConnected = options.redis.status === 'ready' && isHistoryAsked;
    let lastLook: NodeJS.Immediate | undefined;
    const giveUp = (): void => {
      isLate = true;
      failAll([...batch, ...asking.splice(0)], new Error('Redis did not answer in time'));
    };
    const timer = setTimeout(() => {
      // If this process itself stalled, the reply may be in the socket, which is read before this runs.
      lastLook = setImmediate(giveUp);
    }, callTimeoutMs);
    try {
      if (!wasConnected) throw new Error('Redis is not connected');
      const answer = await callScript(options, batch, told);
      if (isLate) releaseAdmitted(batch, answer);
      else resolveAll(batch, answer);
    } catch (error) {
      // If the connection was lost meanwhile, these permits may have been given.
      const inDoubt = wasConnected && !isRefusal(error) ? batch : [];
      ended.unshift(...told.ended, ...inDoubt);
      // Reports that failed go out with the next request, not over and over.
      toRenew = [];
      isTellingDue = false;
      failAll(batch, error);
    } finally {
      clearTimeout(timer);
      clearImmediate(lastLook);
      isLate = false;
    }
  }

  /** Nobody waits for these permits any more. */
  function releaseAdmitted(batch: readonly Asking[], answer: ScriptAnswer): void {
    batch.forEach((item, i) => {
      if (toDecision(answer, i, history).outcome === 'admitted') ended.push(item);
    });
    if (ended.length > 0) tellSoon();
  }

  function resolveAll(batch: readonly Asking[], answer: ScriptAnswer): void {
    batch.forEach(({ member, runningKeys, resolve }, i) => {
      const decision = toDecision(answer, i, history);
      if (decision.outcome === 'admitted') running.set(member, { member, runningKeys });
      resolve(decision);
    });
  }

  return {
    /**
     * `member` names the request. Rejects if there is no reply in time; a permit that was given anyway is released.
     */
    take: (caller: LimitedCaller, kind: RequestKind, member: string): Promise<RedisDecision> =>
      new Promise((resolve, reject) => {
        if (isLate) {
          reject(new Error('Redis has not answered'));
          return;
        }
        asking.push({ member, ...keysOf(caller, kind), resolve, reject });
        calls.start();
      }),
    /** Reported until it has arrived. If the process ends before that, the lease ends the permit. */
    release(member: string): void {
      const admitted = running.get(member);
      if (!admitted) return;
      running.delete(member);
      ended.push(admitted);
      tellSoon();
    },
    /** Reports ended permits, and renews no more leases. */
    close(): void {
      options.redis.off('ready', learnHistory).off('close', forgetHistory);
      clearInterval(renewal);
      if (telling === undefined) return;
      clearTimeout(telling);
      telling = undefined;
      isTellingDue = true;
      calls.start('at_once');
    },
  };
}

/** Whether Redis itself replied with an error. */
function isRefusal(error: unknown): boolean {
  return error instanceof Error && error.name === 'ReplyError';
}

function failAll(batch: readonly Asking[], error: unknown): void {
  for (const { reject } of batch) reject(error);
}

async function callScript(
  { redis, settings, leaseMs }: RedisCallsOptions,
  asking: readonly Asking[],
  { ended, runsOn }: Told,
): Promise<ScriptAnswer> {
  const keys = [EPOCH_KEY];
  const members: string[] = [];
  const tell = ({ member, runningKeys }: Admitted): void => {
    for (const key of runningKeys) {
      keys.push(key);
      members.push(member);
    }
  };
  ended.forEach(tell);
  const endedCount = members.length;
  runsOn.forEach(tell);
  const toldCount = members.length;
  const asked: (string | number)[] = [];
  for (const one of asking) {
    keys.push(...one.keys);
    asked.push(one.member, one.runningKeys.length);
  }
  const args = [
    randomUUID(),
    settings.windowMs,
    leaseMs,
    endedCount,
    toldCount,
    asking.length,
    ...LIMIT_SCOPES.flatMap((scope) => [settings[scope].requests, settings[scope].concurrent]),
    ...members,
    ...asked,
  ];
  try {
    return (await redis.evalsha(SCRIPT_SHA, keys.length, ...keys, ...args)) as ScriptAnswer;
  } catch (error) {
    if (!(error instanceof Error) || !error.message.startsWith('NOSCRIPT')) throw error;
    return (await redis.eval(LIMIT_SCRIPT, keys.length, ...keys, ...args)) as ScriptAnswer;
  }
}

function keysOf(
  { apiKeyId, accountId }: LimitedCaller,
  kind: RequestKind,
): { keys: string[]; runningKeys: string[] } {
  const keys: string[] = [];
  const runningKeys: string[] = [];
  for (const scope of LIMIT_SCOPES.slice(0, scopeCountOf(kind))) {
    const of = scope === 'key' ? apiKeyId : `${scope}:${accountId}`;
    const runningKey = `${PREFIX}running:${of}`;
    keys.push(`${PREFIX}log:${of}`, runningKey);
    runningKeys.push(runningKey);
  }
  return { keys, runningKeys };
}

/** `history`: Redis's id of its data's history, which changes with the server that writes it. */
function toDecision(answer: ScriptAnswer, position: number, history: string): RedisDecision {
  const at = 1 + position * NUMBERS_OF_ITEM;
  if (answer.length < at + NUMBERS_OF_ITEM) throw new Error('Redis left a request without a decision');
  const numberAt = (offset: number): number => Number(answer[at + offset]);
  const outcome = numberAt(0);
  return {
    // Two outcomes per scope: its window is full, or too many requests run at once.
    outcome: outcome === 0 ? 'admitted' : outcome % 2 === 1 ? 'window_full' : 'too_many_at_once',
    refusedBy: outcome === 0 ? undefined : LIMIT_SCOPES[Math.ceil(outcome / 2) - 1],
    key: { count: numberAt(1), running: numberAt(2) },
    account: { count: numberAt(3), running: numberAt(4) },
    resetMs: numberAt(5),
    retryAfterMs: numberAt(6),
    epoch: `${String(answer[0])} ${history}`,
  };
}
