import { setTimeout as sleep } from 'node:timers/promises';
import { toMailFailure, type MailFailure } from './mail-failure';
import type { MailMessage } from './mail-message';
import type { Mailer } from './mailer';

/**
 * Takes mails and sees that they are sent, later. This is the seam behind which a durable outbox can stand: whoever
 * posts never waits and never learns how it went.
 */
export interface MailOutbox {
  /** `accountId` is the public id of the account that the mail is for. */
  post(message: MailMessage, accountId: string): void;
  /** Lets what is being sent finish, until the deadline; what still waits for another attempt is given up. */
  close(deadlineMs: number): Promise<void>;
}

export interface MailReport {
  accountId: string;
  attempt: number;
  outcome: 'sent' | 'tried' | 'given_up';
  failure?: MailFailure;
}

export interface MemoryOutboxOptions {
  mailer: Mailer;
  onReport: (report: MailReport) => void;
  /** The pause before each further attempt; there is one attempt more than there are pauses. */
  pausesMs?: readonly number[];
  mostWaiting?: number;
  mostAtOnce?: number;
}

const PAUSES_MS = [2_000, 15_000, 60_000];
const MOST_WAITING = 1_000;
const MOST_AT_ONCE = 4;
const REFUSED: MailFailure = { reason: 'outbox_full', smtpStatus: undefined, isPermanent: true };

/** An outbox in the memory of this process: what it holds is lost with it, and has to be asked for again. */
export function openMemoryOutbox(options: MemoryOutboxOptions): MailOutbox {
  const { mailer, onReport, pausesMs = PAUSES_MS } = options;
  const { mostWaiting = MOST_WAITING, mostAtOnce = MOST_AT_ONCE } = options;
  const posted = new Set<Promise<void>>();
  const turns = openTurns(mostAtOnce);
  const closing = new AbortController();
  const cutting = new AbortController();

  async function deliver(message: MailMessage, accountId: string): Promise<void> {
    for (let attempt = 1; ; attempt++) {
      const failure = await turns(() => attemptTo(mailer, message, cutting.signal));
      if (!failure) {
        onReport({ accountId, attempt, outcome: 'sent' });
        return;
      }
      const pauseMs = pausesMs[attempt - 1];
      const willTry = !failure.isPermanent && pauseMs !== undefined && !closing.signal.aborted;
      if (willTry) onReport({ accountId, attempt, outcome: 'tried', failure });
      if (!willTry || !(await hasPassed(pauseMs, closing.signal))) {
        onReport({ accountId, attempt, outcome: 'given_up', failure });
        return;
      }
    }
  }

  return {
    post(message, accountId) {
      if (closing.signal.aborted || posted.size >= mostWaiting) {
        onReport({ accountId, attempt: 0, outcome: 'given_up', failure: REFUSED });
        return;
      }
      const delivery = deliver(message, accountId).finally(() => posted.delete(delivery));
      posted.add(delivery);
    },
    async close(deadlineMs) {
      closing.abort();
      const ended = new AbortController();
      const deadline = hasPassed(deadlineMs, ended.signal).then((passed) => {
        if (passed) cutting.abort();
      });
      await Promise.all(posted);
      ended.abort();
      await deadline;
    },
  };
}

async function attemptTo(
  mailer: Mailer,
  message: MailMessage,
  signal: AbortSignal,
): Promise<MailFailure | undefined> {
  try {
    await mailer.send(message, signal);
    return undefined;
  } catch (error) {
    return toMailFailure(error);
  }
}

/** False where the signal came first. */
function hasPassed(ms: number, signal: AbortSignal): Promise<boolean> {
  return sleep(ms, true, { signal }).catch(() => false);
}

/** Runs at most so many at once; the others wait for their turn. */
function openTurns(mostAtOnce: number): <Result>(work: () => Promise<Result>) => Promise<Result> {
  let running = 0;
  const waiting: (() => void)[] = [];
  return async (work) => {
    if (running >= mostAtOnce) await new Promise<void>((resolve) => waiting.push(resolve));
    else running++;
    try {
      return await work();
    } finally {
      const next = waiting.shift();
      if (next) next();
      else running--;
    }
  };
}
