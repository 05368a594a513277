import { parseCatalog } from '@farebox/catalog';
import { describeUpstreams, judgeUpstreams, toUpstreamReport } from './upstream-health';

const { upstreams, models } = parseCatalog(
  `
upstreams:
  - { id: near, base_url: "http://near/v1" }
  - { id: far, base_url: "http://far/v1", api_key_env: FAR_KEY }
  - { id: idle, base_url: "http://idle/v1" }
models:
  - { id: alone, routes: [{ upstream: near, model: a }], input_price: 1, output_price: 1, context_window: 9, max_output_tokens: 9 }
  - { id: both, routes: [{ upstream: near, model: b }, { upstream: far, model: b }], input_price: 1, output_price: 1, context_window: 9, max_output_tokens: 9 }`,
  {},
);
const catalog = {
  upstreams: new Map(upstreams.map((one) => [one.id, one])),
  models: new Map(models.map((one) => [one.id, { ...one, price: { ...one.price, id: 'p' }, createdAt: 0 }])),
};
const used = (upstreamId: string, requests: number, brokeOff = 0, timedOut = 0) => ({
  ...{ upstreamId, requests, brokeOff, timedOut },
});
const stateOf = (
  environment: Record<string, string> | undefined,
  routes: ReturnType<typeof used>[],
  failed: [string, number][] = [],
) =>
  judgeUpstreams(catalog, environment, { routes, failed: new Map(failed) }).map((one) => {
    const { upstream, state } = toUpstreamReport(one);
    return `${upstream} ${state}`;
  });

it('an upstream is misconfigured if its secret is not set here', () => {
  expect(stateOf({}, [])).toEqual(['far misconfigured', 'idle ok', 'near ok']);
  expect(stateOf({ FAR_KEY: 's' }, [])).toEqual(['far ok', 'idle ok', 'near ok']);
  expect(stateOf(undefined, [])).toEqual(['far ok', 'idle ok', 'near ok']);
});

it('an upstream fails if it answers no more requests than it fails', () => {
  const set = { FAR_KEY: 's' };
  expect(stateOf(set, [used('near', 10, 2, 2)])).toContain('near ok');
  expect(stateOf(set, [used('near', 10, 3, 2)])).toContain('near failing');
  // A model with another upstream does not say which of them failed.
  expect(stateOf(set, [], [['both', 5]])).toEqual(['far ok', 'idle ok', 'near ok']);
  expect(stateOf(set, [used('near', 1)], [['alone', 1]])).toContain('near failing');
});

it('names them to a person', () => {
  const reports = judgeUpstreams(catalog, {}, { routes: [used('near', 2, 2)], failed: new Map() }).map(
    toUpstreamReport,
  );
  expect(describeUpstreams(reports)).toBe(`Upstreams, of the last 15 minutes:
UPSTREAM  STATE                    ANSWERED  BROKE OFF  FAILED
far       FAR_KEY IS NOT SET HERE         0          0       0
idle      ok                              0          0       0
near      FAILING                         0          2       0
To ask them: admin doctor --upstreams`);
});
