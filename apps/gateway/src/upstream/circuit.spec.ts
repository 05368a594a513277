import fc from 'fast-check';
import { afterCall, afterTrial, CLOSED, permitCall, type Circuit, type Verdict } from './circuit';

const limits = { failures: 3, windowMs: 1_000, firstPauseMs: 100, longestPauseMs: 350 };

/** The circuit after calls with these verdicts at these times. */
function after(...calls: [verdict: Verdict, atMs: number][]): Circuit {
  return calls.reduce<Circuit>(
    (circuit, [verdict, atMs]) => afterCall(circuit, verdict, atMs, limits),
    CLOSED,
  );
}

const open = (pauseMs: number, untilMs: number): Circuit => ({ state: 'open', pauseMs, untilMs });
const halfOpen = (pauseMs: number): Circuit => ({ state: 'half_open', pauseMs });

describe('a closed circuit', () => {
  it('opens after so many failures one after the other', () => {
    expect(after(['fails', 0], ['fails', 1]).state).toBe('closed');
    expect(after(['fails', 0], ['fails', 1], ['fails', 2])).toEqual(open(100, 102));
  });

  it('counts anew after a success', () => {
    expect(after(['fails', 0], ['fails', 1], ['works', 2], ['fails', 3], ['fails', 4]).state).toBe('closed');
  });

  it('does not count failures that are long past', () => {
    expect(after(['fails', 0], ['fails', 1], ['fails', 1_000]).state).toBe('closed');
    expect(after(['fails', 0], ['fails', 1], ['fails', 1_000], ['fails', 1_001]).state).toBe('closed');
    expect(after(['fails', 0], ['fails', 1], ['fails', 1_000], ['fails', 1_000]).state).toBe('open');
  });

  it('learns nothing from calls that nobody waited for', () => {
    expect(after(['fails', 0], ['nothing', 1], ['fails', 2], ['nothing', 3], ['fails', 4]).state).toBe(
      'open',
    );
  });

  it('lets every call through', () => {
    expect(permitCall(after(['fails', 0], ['fails', 1]), 2)).toEqual({ outcome: 'call' });
  });
});

describe('an open circuit', () => {
  it('says how long it stays so, and then lets one call through', () => {
    expect(permitCall(open(100, 500), 420)).toEqual({ outcome: 'wait', waitMs: 80 });
    expect(permitCall(open(100, 500), 500)).toEqual({ outcome: 'trial', circuit: halfOpen(100) });
    expect(permitCall(halfOpen(100), 501)).toEqual({ outcome: 'wait', waitMs: 1_000 });
  });

  it.each(['works', 'fails'] as const)('passes over calls that began before it and bring: %s', (verdict) => {
    expect(afterCall(open(100, 500), verdict, 450, limits)).toEqual(open(100, 500));
    expect(afterCall(halfOpen(100), verdict, 550, limits)).toEqual(halfOpen(100));
  });
});

describe('a trial', () => {
  it('that works closes the circuit', () => {
    expect(afterTrial(halfOpen(100), 'works', 500, limits)).toEqual(CLOSED);
  });

  it('that fails opens it for twice as long, up to a longest pause', () => {
    expect(afterTrial(halfOpen(100), 'fails', 500, limits)).toEqual(open(200, 700));
    expect(afterTrial(halfOpen(200), 'fails', 700, limits)).toEqual(open(350, 1_050));
    expect(afterTrial(halfOpen(350), 'fails', 1_050, limits)).toEqual(open(350, 1_400));
  });

  it('that nobody waited for is followed by another one at once', () => {
    const circuit = afterTrial(halfOpen(100), 'nothing', 500, limits);
    expect(permitCall(circuit, 500)).toEqual({ outcome: 'trial', circuit: halfOpen(100) });
  });

  it('changes nothing where it is not the trial any more', () => {
    expect(afterTrial(CLOSED, 'fails', 500, limits)).toEqual(CLOSED);
  });
});

it('whatever happens, at most one trial runs, and no circuit stays open longer than the longest pause', () => {
  const step = fc.record({
    waitMs: fc.nat(400),
    verdict: fc.constantFrom<Verdict>('works', 'fails', 'nothing'),
  });
  fc.assert(
    fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
      let circuit = CLOSED;
      let nowMs = 0;
      for (const { waitMs, verdict } of steps) {
        nowMs += waitMs;
        const permission = permitCall(circuit, nowMs);
        if (permission.outcome === 'wait') expect(permission.waitMs).toBeLessThanOrEqual(350);
        else if (permission.outcome === 'call') circuit = afterCall(circuit, verdict, nowMs, limits);
        else {
          expect(permitCall(permission.circuit, nowMs).outcome).toBe('wait');
          circuit = afterTrial(permission.circuit, verdict, nowMs, limits);
        }
      }
    }),
  );
});
