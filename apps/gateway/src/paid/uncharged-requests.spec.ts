import type { EndedRequest } from '@farebox/ledger';
import {
  UNCHARGED_SETTINGS,
  UnchargedRequests,
  type NoteResult,
  type UnchargedSettings,
} from './uncharged-requests';

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

function requestOf(accountId: string): Omit<EndedRequest, 'ageMs'> {
  return {
    ...{ id: 'id', accountId, apiKeyId: 'key', modelId: null, requestId: 'req_1', outcome: 'refused' },
    ...{ errorCode: 'rate_limit_error', errorMessage: 'Wait.', errorParam: null, httpStatus: 429 },
    ...{ streamed: false, latencyMs: 1 },
  };
}

/** A recorder whose statements end when the test decides. */
function givenNotes(changed: Partial<UnchargedSettings> = {}) {
  const results: Record<NoteResult, number> = { kept: 0, over_pace: 0, queue_full: 0, failed: 0 };
  const statements: { requests: EndedRequest[]; end: (error?: Error) => void }[] = [];
  const errors: unknown[] = [];
  let nowMs = 0;
  let described = 0;
  const notes = new UnchargedRequests(
    {
      insert: (requests) =>
        new Promise((resolve, reject) => {
          const end = (error?: Error): void => {
            if (error) reject(error);
            else resolve();
          };
          statements.push({ requests, end });
        }),
      onResult: (result, count) => (results[result] += count),
      onError: (error) => errors.push(error),
      nowMs: () => nowMs,
    },
    { ...UNCHARGED_SETTINGS, ...changed },
  );
  return {
    ...{ notes, results, statements, errors },
    described: () => described,
    pass: (ms: number) => (nowMs += ms),
    note: (accountId: string, times = 1) => {
      for (let i = 0; i < times; i++)
        notes.note(accountId, () => {
          described++;
          return requestOf(accountId);
        });
    },
  };
}

describe('records of free requests', () => {
  it('are written by one statement at a time, and newer ones by the next', async () => {
    const { note, statements, results, pass } = givenNotes();
    note('a', 2);
    await turn();
    note('b');
    pass(5);
    note('a');
    await turn();
    expect(statements.map(({ requests }) => requests.length)).toEqual([2]);
    pass(5);
    statements[0]?.end();
    await turn();
    expect(statements[1]?.requests.map(({ accountId, ageMs }) => [accountId, ageMs])).toEqual([
      ['b', 10],
      ['a', 5],
    ]);
    statements[1]?.end();
    await turn();
    expect(results).toMatchObject({ kept: 4 });
    expect(statements).toHaveLength(2);
  });

  it('of an account in a storm are kept up to its rate and counted beyond it, and other accounts are unaffected', async () => {
    const { note, results, described, pass, statements } = givenNotes({ burst: 60, perSecond: 1 });
    note('storm', 100_000);
    note('calm', 3);
    pass(10_000);
    note('storm', 10_000);
    expect(described()).toBe(60 + 3 + 10);
    expect(results).toMatchObject({ over_pace: 100_000 + 10_000 - 70, queue_full: 0 });
    await turn();
    expect(statements[0]?.requests.filter(({ accountId }) => accountId === 'calm')).toHaveLength(3);
  });

  it('take no more space than their limit', () => {
    const { note, results, described } = givenNotes({ mostWaiting: 5 });
    for (let i = 0; i < 8; i++) note(`account-${String(i)}`);
    expect([described(), results.queue_full]).toEqual([5, 3]);
  });

  it('are dropped from memory for accounts that are no longer active, least recently used first', () => {
    const { note, results } = givenNotes({ mostAccounts: 2, burst: 1, mostWaiting: 100 });
    note('a');
    note('b');
    note('a');
    note('c');
    expect(results.over_pace).toBe(1);
    note('a');
    expect(results.over_pace).toBe(2);
    note('b');
    expect(results.over_pace).toBe(2);
  });

  it('are dropped and counted while the database is away, and kept when it is back', async () => {
    const { note, statements, results, errors } = givenNotes();
    note('a', 2);
    await turn();
    note('a');
    const away = new Error('connect ECONNREFUSED');
    statements[0]?.end(away);
    await turn();
    statements[1]?.end();
    await turn();
    expect(results).toMatchObject({ failed: 2, kept: 1 });
    expect(errors).toEqual([away]);
  });

  it('are written before the process ends', async () => {
    const { note, notes, statements, results } = givenNotes({ mostTogether: 1 });
    note('a', 2);
    const closed = notes.close();
    await turn();
    statements[0]?.end();
    await turn();
    statements[1]?.end();
    await closed;
    expect(results).toMatchObject({ kept: 2 });
  });

  it('do not delay the end of the process for long', async () => {
    const { note, notes, errors } = givenNotes({ closeTimeoutMs: 1 });
    note('a');
    await notes.close();
    expect(errors).toHaveLength(1);
  });
});
