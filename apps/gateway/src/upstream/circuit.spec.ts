import fc from 'fast-check';
import { afterCall, afterProbe, CLOSED, needsProbe, waitMsOf, type Circuit, type Verdict } from './circuit';

const limits = { failures: 3, witnesses: 2, windowMs: 1_000, firstPauseMs: 100, longestPauseMs: 350 };

/** The circuit after calls by these accounts with these verdicts at these times. */
function after(...calls: [verdict: Verdict, accountId: string, atMs: number][]): Circuit {
  return calls.reduce<Circuit>(
    (circuit, [verdict, accountId, atMs]) => afterCall(circuit, { verdict, accountId }, atMs, limits),
    CLOSED,
  );
}

const open = (pauseMs: number, untilMs: number): Circuit => ({ state: 'open', pauseMs, untilMs });

describe('a closed circuit', () => {
  it('opens after enough failures in a row of several accounts', () => {
    expect(after(['fails', 'a', 0], ['fails', 'b', 1]).state).toBe('closed');
    expect(after(['fails', 'a', 0], ['fails', 'a', 1], ['fails', 'b', 2])).toEqual(open(100, 102));
  });

  it('stays closed after any number of failures of one account, and asks for a probe', () => {
    const circuit = after(
      ...Array.from({ length: 99 }, (_, at): [Verdict, string, number] => ['fails', 'a', at]),
    );
    expect([circuit.state, waitMsOf(circuit, 99), needsProbe(circuit, 99, limits)]).toEqual([
      'closed',
      0,
      true,
    ]);
    expect(needsProbe(after(['fails', 'a', 0], ['fails', 'a', 1]), 1, limits)).toBe(false);
  });

  it('opens after failures that no request can have caused, whichever account made the calls', () => {
    expect(after(['unreachable', 'a', 0], ['unreachable', 'a', 1], ['unreachable', 'a', 2]).state).toBe(
      'open',
    );
    expect(after(['fails', 'a', 0], ['fails', 'a', 1], ['unreachable', 'a', 2]).state).toBe('open');
  });

  it('counts from zero after a success', () => {
    expect(after(['fails', 'a', 0], ['fails', 'b', 1], ['works', 'c', 2], ['fails', 'd', 3])).toEqual({
      state: 'closed',
      failures: [{ atMs: 3, accountId: 'd' }],
    });
  });

  it('does not count failures from long ago', () => {
    expect(after(['fails', 'a', 0], ['fails', 'b', 1], ['fails', 'c', 1_000]).state).toBe('closed');
    expect(after(['fails', 'a', 1], ['fails', 'b', 1], ['fails', 'c', 1_000]).state).toBe('open');
  });

  it('ignores calls without a verdict', () => {
    expect(after(['fails', 'a', 0], ['nothing', 'b', 1], ['fails', 'c', 2], ['fails', 'd', 4]).state).toBe(
      'open',
    );
  });
});

describe('a probe', () => {
  const doubted = after(['fails', 'a', 0], ['fails', 'a', 1], ['fails', 'a', 2]);

  it('that succeeds clears the failures of one account', () => {
    expect(afterProbe(doubted, true, 3, limits)).toEqual(CLOSED);
  });

  it('that fails opens the circuit on the failures of one account', () => {
    expect(afterProbe(doubted, false, 3, limits)).toEqual(open(100, 103));
  });

  it('that fails after a customer was answered changes nothing', () => {
    const circuit = afterCall(doubted, { verdict: 'works', accountId: 'b' }, 3, limits);
    expect(afterProbe(circuit, false, 4, limits)).toEqual(CLOSED);
  });

  it('that fails after the circuit was opened changes nothing', () => {
    expect(afterProbe(open(100, 500), false, 450, limits)).toEqual(open(100, 500));
  });

  it('ends a pause, or doubles the next one up to the longest', () => {
    expect(afterProbe(open(100, 500), true, 500, limits)).toEqual(CLOSED);
    expect(afterProbe(open(100, 500), false, 500, limits)).toEqual(open(200, 700));
    expect(afterProbe(open(200, 700), false, 700, limits)).toEqual(open(350, 1_050));
    expect(afterProbe(open(350, 1_050), false, 1_050, limits)).toEqual(open(350, 1_400));
  });
});

describe('an open circuit', () => {
  it('reports how long it stays open, and then that a probe takes a moment', () => {
    expect([waitMsOf(open(100, 500), 420), needsProbe(open(100, 500), 420, limits)]).toEqual([80, false]);
    expect([waitMsOf(open(100, 500), 500), needsProbe(open(100, 500), 500, limits)]).toEqual([1_000, true]);
  });

  it.each(['works', 'fails', 'unreachable'] as const)('ignores calls that bring: %s', (verdict) => {
    expect(afterCall(open(100, 500), { verdict, accountId: 'a' }, 450, limits)).toEqual(open(100, 500));
  });
});

it('a model that answers only probes gets at most this many calls after each first pause', () => {
  let circuit = CLOSED;
  for (let nowMs = 0; nowMs < 1_000; nowMs += limits.firstPauseMs) {
    let calls = 0;
    for (; waitMsOf(circuit, nowMs) === 0; calls++)
      circuit = afterCall(circuit, { verdict: 'fails', accountId: `a${String(calls)}` }, nowMs, limits);
    expect([calls, circuit]).toEqual([limits.failures, open(100, nowMs + 100)]);
    circuit = afterProbe(circuit, true, nowMs + 100, limits);
  }
});

const step = fc.record({
  waitMs: fc.nat(400),
  verdict: fc.constantFrom<Verdict>('works', 'fails', 'nothing'),
  accountId: fc.constantFrom('a', 'b', 'c'),
});

it('no behaviour of one account opens its circuit while probes succeed', () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
      let circuit = CLOSED;
      let nowMs = 0;
      for (const { waitMs, verdict } of steps) {
        nowMs += waitMs;
        circuit = afterCall(circuit, { verdict, accountId: 'a' }, nowMs, limits);
        expect(waitMsOf(circuit, nowMs)).toBe(0);
        if (needsProbe(circuit, nowMs, limits)) circuit = afterProbe(circuit, true, nowMs, limits);
      }
    }),
  );
});

it('nobody ever waits longer than the longest pause, and each pause ends with a probe', () => {
  fc.assert(
    fc.property(fc.array(fc.record({ step, isUp: fc.boolean() }), { maxLength: 60 }), (steps) => {
      let circuit = CLOSED;
      let nowMs = 0;
      for (const {
        step: { waitMs, verdict, accountId },
        isUp,
      } of steps) {
        nowMs += waitMs;
        const called = waitMsOf(circuit, nowMs) === 0;
        if (called) circuit = afterCall(circuit, { verdict, accountId }, nowMs, limits);
        expect(waitMsOf(circuit, nowMs)).toBeLessThanOrEqual(1_000);
        if (circuit.state === 'open') expect(circuit.untilMs - nowMs).toBeLessThanOrEqual(350);
        if (circuit.state === 'open' && nowMs >= circuit.untilMs)
          expect(needsProbe(circuit, nowMs, limits)).toBe(true);
        if (needsProbe(circuit, nowMs, limits)) {
          circuit = afterProbe(circuit, isUp, nowMs, limits);
          expect(circuit.state).toBe(isUp ? 'closed' : 'open');
        }
      }
    }),
  );
});
