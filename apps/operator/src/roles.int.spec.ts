import { OPERATOR_ROLES } from '@farebox/operators';
import { VERB_RIGHTS } from '@farebox/verbs';
import { openOperatorHarness, type OperatorHarness } from '../test/operator-harness';
import { VERB_ROUTES } from './http/verbs';

let harness: OperatorHarness;
const credentials = new Map<string, { authorization: string } | { cookie: string }>();

beforeAll(async () => {
  harness = await openOperatorHarness();
  for (const role of OPERATOR_ROLES) {
    credentials.set(`key ${role}`, { authorization: `Bearer ${await harness.givenKey(role)}` });
    credentials.set(`session ${role}`, { cookie: await harness.givenSession(`${role}@example.com`, role) });
  }
});
afterAll(() => harness.close());

const CELLS = VERB_ROUTES.flatMap((route) =>
  OPERATOR_ROLES.flatMap((role) =>
    (['session', 'key'] as const).map((via) => {
      const right = VERB_RIGHTS[route.words];
      const hasRole = role === 'owner' || right?.roles.includes(role) === true;
      const may = hasRole && !(via === 'key' && right?.peopleOnly === true);
      return { ...route, role, via, may };
    }),
  ),
);

// Without parameters, so that nothing is done: a verb that may be used lists, or says what is missing or not there.
it.each(CELLS)(
  'a $via of the role $role may use "$words": $may',
  async ({ method, path, role, via, may }) => {
    const response = await fetch(harness.url + path, {
      method,
      headers: { origin: harness.url, ...credentials.get(`${via} ${role}`) },
    });
    const body = (await response.json()) as { error?: { code: string } };
    expect(response.status === 403).toBe(!may);
    if (!may) expect(body.error?.code).toBe('beta_access_required');
    else expect([200, 400, 404]).toContain(response.status);
  },
);

it('tells a caller the verbs that they may use, and no others', async () => {
  for (const [who, headers] of credentials) {
    const response = await fetch(`${harness.url}/operator/v1/me`, { headers });
    const { verbs } = (await response.json()) as { verbs: { verb: string }[] };
    const expected = CELLS.filter((cell) => `${cell.via} ${cell.role}` === who && cell.may);
    expect(verbs.map(({ verb }) => verb)).toEqual(expected.map(({ words }) => words));
  }
});
