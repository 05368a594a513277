import { CallGate, verdictOf, type CallWatch, type CircuitChange, type Finding } from './call-gate';
import type { Verdict } from './circuit';
import { UpstreamFailure } from './failure';

const circuit = { failures: 2, witnesses: 2, windowMs: 1_000, firstPauseMs: 100, longestPauseMs: 1_000 };

beforeEach(() => {
  // A deadline takes one last look at the sockets.
  jest.useFakeTimers({ doNotFake: ['setImmediate', 'clearImmediate'] });
});
afterEach(() => {
  jest.useRealTimers();
});

function givenGate(maxConcurrent = 100) {
  const changes: [string, CircuitChange][] = [];
  const probed: string[] = [];
  /** Results of the next probes, in order. After them the model fails. */
  const findings: (Verdict | Promise<Verdict> | Finding)[] = [];
  const gate = new CallGate({
    maxConcurrent,
    circuit,
    now: () => Date.now(),
    onCircuitChange: (model, change) => changes.push([model, change]),
    probe: async (model) => {
      probed.push(model);
      const finding = (await findings.shift()) ?? 'fails';
      return typeof finding === 'string' ? { verdict: finding } : finding;
    },
  });
  const enter = (accountId = 'a', model = 'm'): CallWatch => {
    const entered = gate.enter(model, accountId);
    if (entered instanceof UpstreamFailure) throw entered;
    return entered;
  };
  const fail = (accountId = 'a'): void => {
    enter(accountId).ended({ verdict: 'fails' });
  };
  const open = (): void => {
    fail('a');
    fail('b');
  };
  const pass = (ms: number): Promise<void> => jest.advanceTimersByTimeAsync(ms);
  return { gate, enter, fail, open, changes, probed, findings, pass };
}

describe('a gate with a limit', () => {
  it('admits at most this many calls at once, for all models together', () => {
    const { gate, enter } = givenGate(2);
    const first = enter('a', 'x');
    enter('b', 'y');
    expect(gate.enter('z', 'c')).toMatchObject({ kind: 'full', retryAfterMs: 1_000 });
    first.ended({ verdict: 'works' });
    enter('c', 'z');
    expect(gate.enter('x', 'a')).toMatchObject({ kind: 'full' });
  });

  it('frees a place once, whatever a call reports after its end', () => {
    const { gate, enter } = givenGate(1);
    const call = enter();
    call.ended({ verdict: 'nothing' });
    call.ended({ verdict: 'works' });
    enter();
    expect(gate.enter('m', 'a')).toMatchObject({ kind: 'full' });
  });

  it('leaves room for others, however many calls one account makes', () => {
    const { gate, enter } = givenGate(100);
    const places = (accountId: string): CallWatch[] => {
      const taken: CallWatch[] = [];
      for (let entered = gate.enter('m', accountId); !(entered instanceof UpstreamFailure);)
        entered = (taken.push(entered), gate.enter('m', accountId));
      return taken;
    };
    const [first, second, third] = [places('a'), places('b'), places('c')];
    expect([first.length, second.length, third.length]).toEqual([75, 19, 5]);
    enter('d');
    // Others may take the places that one account frees, accounts with fewer places first.
    for (const call of first.slice(0, 40)) call.ended({ verdict: 'works' });
    expect(gate.enter('m', 'b')).not.toBeInstanceOf(UpstreamFailure);
  });
});

describe('a gate to a model that fails', () => {
  it('closes the circuit after failures of several accounts, says for how long, and reports it', async () => {
    const { gate, open, changes, probed, pass } = givenGate();
    open();
    await pass(30);
    expect(gate.enter('m', 'c')).toMatchObject({ kind: 'circuit_open', retryAfterMs: 70 });
    expect(changes).toEqual([['m', { state: 'open', pauseMs: 100, wasOpen: false }]]);
    expect(probed).toEqual([]);
  });

  it('leaves the other models open', () => {
    const { enter, open } = givenGate();
    open();
    enter('a', 'other').ended({ verdict: 'works' });
  });

  it('probes the model after the pause, with or without a customer, and opens the circuit if the probe succeeds', async () => {
    const { gate, enter, open, changes, probed, findings, pass } = givenGate();
    let answer: (verdict: Verdict) => void = () => undefined;
    findings.push(new Promise((resolve) => (answer = resolve)));
    open();
    await pass(100);
    expect(probed).toEqual(['m']);
    expect(gate.enter('m', 'a')).toMatchObject({ kind: 'circuit_open', retryAfterMs: 1_000 });
    expect(probed).toEqual(['m']);
    answer('works');
    await pass(0);
    enter().ended({ verdict: 'works' });
    expect(changes.at(-1)).toEqual(['m', { state: 'closed' }]);
  });

  it('waits longer after each failed probe', async () => {
    const { open, changes, findings, pass } = givenGate();
    findings.push('fails', 'unreachable', 'nothing');
    open();
    await pass(100);
    await pass(200);
    await pass(400);
    expect(changes.map(([, change]) => change)).toEqual([
      { state: 'open', pauseMs: 100, wasOpen: false },
      { state: 'open', pauseMs: 200, wasOpen: true },
      { state: 'open', pauseMs: 400, wasOpen: true },
      { state: 'closed' },
    ]);
  });

  it('starts no probe after it is closed', async () => {
    const { gate, open, probed, pass } = givenGate();
    open();
    gate.close();
    await pass(10_000);
    expect(probed).toEqual([]);
    await expect(gate.watchHealth('m')()).resolves.toBe(false);
  });
});

describe('a gate to a model at which the requests of one account fail', () => {
  it('probes the model, and admits everybody if the probe succeeds', async () => {
    const { enter, fail, changes, probed, findings, pass } = givenGate();
    findings.push('works', 'nothing');
    for (let failed = 0; failed < 4; failed++) {
      fail();
      await pass(0);
    }
    expect(probed).toEqual(['m', 'm']);
    enter().ended({ verdict: 'works' });
    expect(changes).toEqual([]);
  });

  it('closes the circuit if the probe fails too', async () => {
    const { gate, fail, changes, pass } = givenGate();
    fail();
    fail();
    await pass(0);
    expect(gate.enter('m', 'b')).toMatchObject({ kind: 'circuit_open', retryAfterMs: 100 });
    expect(changes).toEqual([['m', { state: 'open', pauseMs: 100, wasOpen: false }]]);
  });

  it('allows another try only while the model fails rarely', async () => {
    const { gate, fail, findings, pass } = givenGate();
    findings.push(new Promise(() => undefined));
    fail();
    expect(gate.mayRepeat('m')).toBe(true);
    fail();
    await pass(0);
    expect(gate.mayRepeat('m')).toBe(false);
  });
});

describe('a gate to a model that asks to be left alone', () => {
  /** A call of this account receives the request to wait. */
  function hear(gate: CallGate, accountId: string, restMs: number): void {
    const entered = gate.enter('m', accountId);
    if (!(entered instanceof UpstreamFailure)) entered.ended({ verdict: 'nothing', restMs });
  }

  it('closes for that long to the account that received it, and to no other', async () => {
    const { gate, enter, pass } = givenGate();
    hear(gate, 'a', 5_000);
    await pass(1_000);
    expect(gate.enter('m', 'a')).toMatchObject({ kind: 'told_to_wait', retryAfterMs: 4_000 });
    enter('b').ended({ verdict: 'works' });
    enter('a', 'other').ended({ verdict: 'works' });
    await pass(4_000);
    enter('a').ended({ verdict: 'works' });
  });

  it('closes to all if several accounts have received it', () => {
    const { gate } = givenGate();
    hear(gate, 'a', 5_000);
    hear(gate, 'b', 3_000);
    expect(gate.enter('m', 'c')).toMatchObject({ kind: 'told_to_wait', retryAfterMs: 3_000 });
    expect(gate.enter('m', 'a')).toMatchObject({ kind: 'told_to_wait', retryAfterMs: 5_000 });
  });

  it('sends no probe before that either, even if the model failed before', async () => {
    const { gate, enter, open, probed, findings, pass } = givenGate();
    findings.push({ verdict: 'fails', restMs: 2_000 }, 'works');
    const [late, later] = [enter('x'), enter('y')];
    open();
    late.ended({ verdict: 'nothing', restMs: 500 });
    later.ended({ verdict: 'nothing', restMs: 700 });
    await pass(499);
    expect(probed).toEqual([]);
    expect(gate.enter('m', 'c')).toMatchObject({ kind: 'circuit_open' });
    await pass(1);
    expect(probed).toEqual(['m']);
    expect(gate.enter('m', 'c')).toMatchObject({ kind: 'circuit_open', retryAfterMs: 2_000 });
    await pass(1_999);
    expect(probed).toEqual(['m']);
    await pass(1);
    expect(probed).toEqual(['m', 'm']);
    enter('c').ended({ verdict: 'works' });
  });
});

describe('whether a model serves others', () => {
  it('is known if it has served another account since', async () => {
    const { gate, enter, probed } = givenGate();
    const isUp = gate.watchHealth('m');
    enter('b').ended({ verdict: 'works' });
    await expect(isUp()).resolves.toBe(true);
    expect(probed).toEqual([]);
  });

  it.each([
    ['works', true],
    // A server whose model has died may still reject a request.
    ['nothing', false],
    ['fails', false],
  ] as const)(
    'is found out by a probe otherwise: if it brings "%s", the answer is %s',
    async (finding, isUp) => {
      const { gate, enter, findings, probed } = givenGate();
      enter('b').ended({ verdict: 'works' });
      findings.push(finding);
      await expect(gate.watchHealth('m')()).resolves.toBe(isUp);
      expect(probed).toEqual(['m']);
    },
  );

  it('takes one probe for all who wait', async () => {
    const { gate, findings, probed } = givenGate();
    findings.push('works');
    const [first, second] = [gate.watchHealth('m'), gate.watchHealth('m')];
    await expect(Promise.all([first(), second()])).resolves.toEqual([true, true]);
    expect(probed).toEqual(['m']);
  });

  it('is not waited for without limit', async () => {
    const { gate, findings, pass } = givenGate();
    findings.push(new Promise(() => undefined));
    const known = gate.watchHealth('m')();
    await pass(5_000);
    await expect(known).resolves.toBe(false);
  });
});

it.each([
  [new UpstreamFailure('unavailable', { status: 500 }), 'fails'],
  [new UpstreamFailure('unavailable', { isUnreachable: true }), 'unreachable'],
  [new UpstreamFailure('timeout'), 'fails'],
  [new UpstreamFailure('garbage'), 'fails'],
  [new UpstreamFailure('refused_request'), 'nothing'],
  [new UpstreamFailure('misconfigured', { status: 401 }), 'unreachable'],
  // A server may refer to the request with this status, too.
  [new UpstreamFailure('misconfigured', { status: 403 }), 'fails'],
  [new UpstreamFailure('refused_request', { wants: { wire: 'responses' } }), 'nothing'],
])('%s: the model %s', (failure, verdict) => {
  expect(verdictOf(failure)).toBe(verdict);
});
