import { createKnownRoom, type RoomTaken } from './known-room';

const WINDOW_MS = 60_000;

/** The room of keys with 20 requests a minute and 10 at once, at a time that the test sets. */
function aRoom() {
  let nowMs = 0;
  const room = createKnownRoom({ requests: 20, windowMs: WINDOW_MS, concurrent: 10 }, () => nowMs);
  const tell = (more: Partial<RoomTaken> = {}): void => {
    room.answered('key', { outcome: 'admitted', count: 1, running: 1, ...more });
  };
  return {
    isSure: (key = 'key') => room.isAsGoodAsSure(key),
    ask: (count = 1) => {
      for (let i = 0; i < count; i++) room.asked('key');
    },
    tell,
    sayNothing: () => {
      room.answered('key', undefined);
    },
    pass: (ms: number) => {
      nowMs += ms;
    },
  };
}

describe('a request whose permit is asked for', () => {
  it('is as good as sure if nothing is known of its key', () => {
    expect(aRoom().isSure()).toBe(true);
  });

  it.each([
    ['at once', { count: 1, running: 4 }],
    ['in the window', { count: 9, running: 1 }],
  ])('is so beside others up to half of what the key may have %s', (_name, taken) => {
    const { isSure, ask, tell } = aRoom();
    ask();
    tell(taken);
    ask();
    expect(isSure()).toBe(false);
    expect(isSure('another')).toBe(true);
  });

  it('counts those that are being asked about', () => {
    const { isSure, ask } = aRoom();
    ask(4);
    expect(isSure()).toBe(true);
    ask();
    expect(isSure()).toBe(false);
  });

  it('is so alone, however much of the room is taken', () => {
    const { isSure, ask, tell } = aRoom();
    ask();
    tell({ count: 20, running: 10 });
    expect(isSure()).toBe(true);
  });

  it.each(['window_full', 'too_many_at_once'] as const)(
    'is not for a window after one was refused: %s',
    (outcome) => {
      const { isSure, ask, tell, pass } = aRoom();
      ask();
      tell({ outcome });
      expect(isSure()).toBe(false);
      pass(WINDOW_MS - 1);
      expect(isSure()).toBe(false);
      pass(1);
      expect(isSure()).toBe(true);
    },
  );

  it('is asked about no more once Redis did not answer', () => {
    const { isSure, ask, sayNothing } = aRoom();
    ask(5);
    expect(isSure()).toBe(false);
    sayNothing();
    expect(isSure()).toBe(true);
  });

  it('has its refusal remembered while others come and go', () => {
    const { isSure, ask, tell, pass } = aRoom();
    ask();
    tell({ outcome: 'window_full' });
    pass(WINDOW_MS / 2);
    ask();
    tell();
    expect(isSure()).toBe(false);
  });
});
