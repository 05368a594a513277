import { createKnownRoom, type TakenRoom } from './known-room';
import type { LimitScope } from './request-limits';

const WINDOW_MS = 60_000;

const of = (apiKeyId: string, accountId = `account of ${apiKeyId}`) => ({ apiKeyId, accountId });

interface Told {
  refusedBy?: LimitScope;
  key?: TakenRoom;
  account?: TakenRoom;
}

/**
 * The room of keys with 20 requests a minute and 10 at once, and of accounts with twice that, at a time that the test
 * sets.
 */
function aRoom() {
  let nowMs = 0;
  const key = { requests: 20, concurrent: 10 };
  const account = { requests: 40, concurrent: 20 };
  const room = createKnownRoom({ key, account, free: key, windowMs: WINDOW_MS }, () => nowMs);
  const one = { count: 1, running: 1 };
  return {
    isSure: (caller = of('key')) => room.likelyHasRoom(caller),
    ask: (count = 1, caller = of('key')) => {
      for (let i = 0; i < count; i++) room.asked(caller);
    },
    tell: (more: Told = {}, caller = of('key')) => {
      room.answered(caller, { refusedBy: undefined, key: one, account: one, ...more });
    },
    sayNothing: () => {
      room.answered(of('key'), undefined);
    },
    pass: (ms: number) => {
      nowMs += ms;
    },
  };
}

describe('a request that waits for its permit', () => {
  it('is almost certain to get it if nothing is known of its key', () => {
    expect(aRoom().isSure()).toBe(true);
  });

  it.each([
    ['at once', { count: 1, running: 4 }],
    ['in the window', { count: 9, running: 1 }],
  ])('is almost certain beside others up to half of the limit of the key %s', (_name, taken) => {
    const { isSure, ask, tell } = aRoom();
    ask();
    tell({ key: taken });
    ask();
    expect(isSure()).toBe(false);
    expect(isSure(of('another'))).toBe(true);
  });

  it('counts as one of those that are undecided', () => {
    const { isSure, ask } = aRoom();
    ask(4);
    expect(isSure()).toBe(true);
    ask();
    expect(isSure()).toBe(false);
  });

  it('is almost certain if it is alone, however much of the room is taken', () => {
    const { isSure, ask, tell } = aRoom();
    ask();
    tell({ key: { count: 20, running: 10 } });
    expect(isSure()).toBe(true);
  });

  it.each(['key', 'account'] as const)(
    'is not certain for a window after one was refused for the limit of its %s',
    (refusedBy) => {
      const { isSure, ask, tell, pass } = aRoom();
      ask();
      tell({ refusedBy });
      expect(isSure()).toBe(false);
      pass(WINDOW_MS - 1);
      expect(isSure()).toBe(false);
      pass(1);
      expect(isSure()).toBe(true);
    },
  );

  it('is no longer undecided once Redis did not reply', () => {
    const { isSure, ask, sayNothing } = aRoom();
    ask(5);
    expect(isSure()).toBe(false);
    sayNothing();
    expect(isSure()).toBe(true);
  });

  it('is not certain beside many of other keys of its account', () => {
    const { isSure, ask } = aRoom();
    for (let i = 0; i < 20; i++) ask(1, of(`key ${String(i)}`, 'account'));
    expect(isSure(of('key', 'account'))).toBe(false);
    expect(isSure(of('key', 'another account'))).toBe(true);
  });

  it('is not certain if another key of its account was refused for the limit of the account, but is if that request was free', () => {
    const { isSure, ask, tell } = aRoom();
    ask(2, of('first', 'account'));
    tell({ refusedBy: 'free' }, of('first', 'account'));
    expect(isSure(of('key', 'account'))).toBe(true);
    tell({ refusedBy: 'account' }, of('first', 'account'));
    expect(isSure(of('key', 'account'))).toBe(false);
  });

  it('has its refusal remembered while other keys come and go', () => {
    const { isSure, ask, tell, pass } = aRoom();
    ask();
    tell({ refusedBy: 'key' });
    pass(WINDOW_MS / 2);
    ask();
    tell();
    expect(isSure()).toBe(false);
  });
});
