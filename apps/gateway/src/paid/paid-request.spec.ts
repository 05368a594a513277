import type { AdmissionResult, GatewayLedger } from '@farebox/ledger';
import { toNanoUsd } from '@farebox/money';
import { NO_SPAN } from '@farebox/observability';
import { admissionDeps, caller, counterOf, ledgerOf, model } from '../../test/admission-harness';
import { toLimiterSettings, tooManyAtOnceError, type Permit } from '../limiter/request-limits';
import { StopSwitch } from '../stop-switch';
import { RequestProgress } from './request-progress';
import type { Charge } from './charged-usage';
import { servePaid } from './paid-request';
import type { PaidPlan, PaidWork } from './terms';

const CHARGE: Charge = { promptTokens: 1, completionTokens: 1, outcome: 'completed', estimated: false };
const SETTINGS = toLimiterSettings({ requests: 9, windowMs: 60_000, concurrent: 3 });

interface Given {
  /** The ledger's reply. */
  admission?: AdmissionResult;
  isPermitSure?: boolean;
  checkSlowly?: () => Promise<void>;
}

/** A request before a limiter that answers when the test decides. Its steps are recorded in order. */
function serve({ admission = { outcome: 'admitted' }, isPermitSure = true, checkSlowly }: Given = {}) {
  const seen: string[] = [];
  const note = <Result>(what: string, result: Result): Result => {
    seen.push(what);
    return result;
  };
  let permit: ((permit: Permit) => void) | undefined;
  let refuse: ((error: unknown) => void) | undefined;
  const given = ledgerOf([admission], ['former']);
  const ledger: GatewayLedger = {
    ...given,
    admit: (item) => note('hold', given.admit(item)),
    settle: (item) => note(item.usage ? 'charge' : 'release', given.settle(item)),
  };
  const asked = new Promise<Permit>((yes, no) => {
    [permit, refuse] = [yes, no];
  });
  const plan: PaidPlan = {
    ...{ model, targets: [], maximumCostNano: toNanoUsd(10n), mostTokens: 10, ignoredFields: [] },
  };
  const work: PaidWork<PaidPlan> = {
    plan: () => plan,
    leastCost: () => toNanoUsd(10n),
    byCount: () => Promise.resolve(undefined),
    streamed: false,
    checkSlowly,
    replay() {
      seen.push('replay');
      return Promise.resolve();
    },
    async deliver(_caller, _plan, hold) {
      seen.push('deliver');
      await hold.charge(CHARGE, () => undefined);
    },
  };
  const gone = new StopSwitch();
  const request = {
    ...{ id: 'hold', requestId: 'req', startedAtMs: 0, caller, idempotency: undefined, span: NO_SPAN },
    ...{ permit: asked, isPermitSure },
    identifyAgain: () => Promise.resolve(caller),
    progress: new RequestProgress(),
  };
  const client = {
    gone,
    announce(headers: Permit['headers']) {
      for (const [name] of headers) seen.push(name);
    },
  };
  const deps = admissionDeps(ledger, counterOf({ least: 1, most: 1 }));
  const served = servePaid(deps, request, client, work);
  served.catch(() => undefined);
  return {
    seen,
    served,
    gone,
    permit: () => permit?.({ headers: [['X-Limit', '1']], window: undefined, release: () => undefined }),
    refuse: () => refuse?.(tooManyAtOnceError('key', SETTINGS)),
  };
}

/** Everything that can run without the limiter has run. */
const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

describe('a paid request', () => {
  it('whose permit takes time and is almost certain places its hold meanwhile, and delivers once it has both', async () => {
    const { seen, served, permit } = serve();
    await turn();
    expect(seen).toEqual(['hold']);
    permit();
    await served;
    expect(seen).toEqual(['hold', 'X-Limit', 'deliver', 'charge']);
  });

  it.each<[string, Given]>([
    ['whose permit may be refused', { isPermitSure: false }],
    ['that has to be checked slowly', { checkSlowly: () => Promise.resolve() }],
  ])('%s holds nothing before it has it', async (_name, given) => {
    const { seen, served, permit } = serve(given);
    await turn();
    expect(seen).toEqual([]);
    permit();
    await served;
    expect(seen).toEqual(['X-Limit', 'hold', 'deliver', 'charge']);
  });

  it('without a permit has its hold released before it is refused', async () => {
    const { seen, served, refuse } = serve();
    await turn();
    refuse();
    await expect(served).rejects.toMatchObject({ code: 'rate_limit_error' });
    expect(seen).toEqual(['hold', 'release']);
  });

  it.each<[string, AdmissionResult]>([
    ['has no room either', { outcome: 'insufficient_funds', availableNano: toNanoUsd(0n) }],
    ['was charged before', { outcome: 'replay', holdId: 'former' }],
  ])('that gets no permit and %s hears of the permit', async (_name, admission) => {
    const { seen, served, refuse } = serve({ admission });
    await turn();
    refuse();
    await expect(served).rejects.toMatchObject({ code: 'rate_limit_error' });
    expect(seen).toEqual(['hold']);
  });

  it('without room gets the state of the limiter with its refusal', async () => {
    const { seen, served, permit } = serve({
      admission: { outcome: 'insufficient_funds', availableNano: toNanoUsd(0n) },
    });
    await turn();
    permit();
    await expect(served).rejects.toMatchObject({ code: 'insufficient_funds' });
    expect(seen).toEqual(['hold', 'X-Limit']);
  });

  it.each([true, false])(
    'whose client has left meanwhile (hold begun: %s) delivers nothing',
    async (isBegun) => {
      const { seen, served, permit, gone } = serve({ isPermitSure: isBegun });
      await turn();
      gone.abort();
      permit();
      await served;
      expect(seen).toEqual([...(isBegun ? ['hold'] : []), 'X-Limit', ...(isBegun ? ['release'] : [])]);
    },
  );
});
