import type { Address, Contestant } from './contestants';
import type { Load } from './loads';
import { RequestCycle, serves } from './requests';

const SPECIAL: Address = { path: '/special', headers: {}, model: 'special' };
const contestant = (more: Partial<Contestant> = {}): Contestant => ({
  ...{ name: 'it', port: 1, path: '/usual', headers: { 'x-one': '1' }, processes: [] },
  stop: () => Promise.resolve(),
  ...more,
});

const PLAIN: Load = { name: 'plain', connections: 2, stream: false };
const agent = (turns: number): Load => ({
  ...{ name: 'agent', connections: 1, stream: true },
  agent: { wires: { client: 'chat', upstream: 'chat' }, tokens: 5_000, turns },
});

const textsOf = (cycle: RequestCycle): string[] => cycle.next().map(String);
const stampsIn = (texts: readonly string[]): string[] => [...new Set(texts.join('').match(/@\d{8}/g))];

it('repeats a short request at the address of the contestant', () => {
  const cycle = new RequestCycle(contestant(), PLAIN, 0);
  const [first] = textsOf(cycle);
  expect(first).toMatch(/^POST \/usual HTTP\/1\.1\r\n/);
  expect(first).toContain('x-one: 1\r\n');
  expect(textsOf(cycle)).toEqual([first]);
});

it("gives each of an agent's requests texts of its own", () => {
  const cycle = new RequestCycle(contestant({ addressFor: () => SPECIAL }), agent(1), 0);
  const stamps = [textsOf(cycle), textsOf(cycle)].map(stampsIn);
  expect(stamps.map(({ length }) => length)).toEqual([1, 1]);
  expect(stamps[0]).not.toEqual(stamps[1]);
});

it('repeats the history in each turn of a session, and in no other session', () => {
  const cycle = new RequestCycle(contestant({ addressFor: () => SPECIAL }), agent(5), 0);
  const turns = textsOf(cycle);
  expect(turns).toHaveLength(5);
  expect(stampsIn(turns)).toHaveLength(1);
  const messages = turns.map((text) => bodyOf(text).messages);
  for (const [turn, history] of messages.slice(0, -1).entries())
    expect(messages[turn + 1]?.slice(0, history.length)).toEqual(history);
  expect(stampsIn(textsOf(cycle))).not.toEqual(stampsIn(turns));
});

function bodyOf(text: string): { messages: unknown[]; model: string } {
  return JSON.parse(text.slice(text.indexOf('\r\n\r\n'))) as { messages: unknown[]; model: string };
}

it('takes the keys in turn, from another one on each connection', () => {
  const keys = ['a', 'b', 'c'].map((key) => ({ authorization: key }));
  const many = contestant({ addressFor: () => ({ ...SPECIAL, keys }) });
  const load = { ...PLAIN, manyKeys: true };
  const keysOf = (connection: number): string[] => {
    const cycle = new RequestCycle(many, load, connection);
    return Array.from({ length: 4 }, () => /authorization: (\w)/.exec(textsOf(cycle)[0] ?? '')?.[1] ?? '');
  };
  expect(keysOf(0)).toEqual(['a', 'b', 'c', 'a']);
  expect(keysOf(1)).toEqual(['b', 'c', 'a', 'b']);
});

describe('a contestant takes part', () => {
  it('in plain loads, unless it says otherwise', () => {
    expect(serves(contestant(), PLAIN)).toBe(true);
    expect(serves(contestant({ servesPlain: ({ stream }) => stream }), PLAIN)).toBe(false);
  });

  it.each([
    agent(1),
    { ...PLAIN, manyKeys: true },
    { ...PLAIN, outage: true },
    { ...PLAIN, beside: agent(1) },
  ])('in %j only if it has an address for it', (load) => {
    expect(serves(contestant(), load)).toBe(false);
    expect(serves(contestant({ addressFor: () => SPECIAL }), load)).toBe(true);
  });

  it('in no load that it does not serve: asking for one throws', () => {
    expect(() => new RequestCycle(contestant(), agent(1), 0)).toThrow('it does not serve agent');
  });
});
