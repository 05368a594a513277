import { FaultLine, nextStep, type LineFault } from './fault-line';

describe('the next step of a line', () => {
  it.each<[LineFault, passed: number, waiting: number, step: object]>([
    [{ kind: 'none' }, 7, 10, { kind: 'pass', bytes: 10, afterMs: 0 }],
    [{ kind: 'hold' }, 7, 10, { kind: 'wait' }],
    [{ kind: 'drop' }, 7, 10, { kind: 'lose' }],
    [{ kind: 'delay', delayMs: 30 }, 7, 10, { kind: 'pass', bytes: 10, afterMs: 30 }],
    [{ kind: 'throttle', bytesPerSecond: 1_000 }, 0, 100, { kind: 'pass', bytes: 20, afterMs: 20 }],
    [{ kind: 'throttle', bytesPerSecond: 1_000 }, 0, 5, { kind: 'pass', bytes: 5, afterMs: 5 }],
    [{ kind: 'throttle', bytesPerSecond: 2 }, 0, 100, { kind: 'pass', bytes: 1, afterMs: 500 }],
    [{ kind: 'truncate', afterBytes: 12 }, 7, 10, { kind: 'pass', bytes: 5, afterMs: 0 }],
    [{ kind: 'truncate', afterBytes: 12 }, 12, 0, { kind: 'truncate' }],
    [{ kind: 'reset', afterBytes: 0 }, 0, 1, { kind: 'reset' }],
    [{ kind: 'reset', afterBytes: 12 }, 7, 1, { kind: 'pass', bytes: 1, afterMs: 0 }],
  ])('with %j, after %d bytes and with %d waiting', (fault, passed, waiting, step) => {
    expect(nextStep(fault, passed, waiting)).toEqual(step);
  });
});

it('a line reports each change of its fault once', () => {
  const line = new FaultLine();
  const { changed } = line;
  line.set({ kind: 'drop' });
  expect([changed.aborted, line.changed.aborted, line.fault]).toEqual([true, false, { kind: 'drop' }]);
});
