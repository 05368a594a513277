import { readBodiesOptions } from './bodies-bench';
import { BODY_KINDS, CLIENT_PATHS, longBody, type ClientWire } from './long-bodies';
import { HELP } from './neighbours';

const BYTES = 4 * 1024 * 1024;
/** In the bodies that the gateway accepts. */
const MOST_VALUES = { embeddings: 320_000, other: 32_768 };

const CASES = BODY_KINDS.flatMap((kind) =>
  (Object.keys(CLIENT_PATHS) as ClientWire[]).flatMap((wire) => {
    const body = longBody(kind, wire, { model: 'm', bytes: BYTES, isStream: true });
    return body ? [[kind.name, wire, body] as const] : [];
  }),
);

it.each(CASES)(
  'a body of %s for %s is as long as was asked, and the gateway accepts it',
  (_name, wire, body) => {
    expect(body.length).toBeLessThanOrEqual(BYTES);
    expect(body.length).toBeGreaterThan(0.75 * BYTES);
    const most = wire === 'embeddings' ? MOST_VALUES.embeddings : MOST_VALUES.other;
    expect(valuesIn(JSON.parse(body.toString()))).toBeLessThanOrEqual(most);
  },
);

/** As the gateway counts them: containers and their entries. */
function valuesIn(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 1;
  const inner = Object.values(value);
  return 1 + Math.max(1, inner.length) + inner.reduce((sum: number, one) => sum + valuesIn(one) - 1, 0);
}

it('every way of every kind has a second, and the table is written', () => {
  expect(readBodiesOptions([])).toMatchObject({ seconds: 1, kinds: BODY_KINDS });
  expect(readBodiesOptions([])).toMatchObject({ out: 'docs/benchmarks/neighbours.md' });
});

it('a selection of kinds writes no table, and the help names all', () => {
  expect(readBodiesOptions(['--only', 'keys,cjk'])).toMatchObject({
    kinds: [{ name: 'cjk' }, { name: 'keys' }],
    out: undefined,
  });
  for (const { name } of BODY_KINDS) expect(HELP).toContain(name);
});

it('an unknown kind is refused in one sentence', () => {
  expect(() => readBodiesOptions(['--only', 'nothing'])).toThrow('--only knows no body "nothing"');
});
