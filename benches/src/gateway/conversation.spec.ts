import { atTurn, conversationOf, STAMP, toBody, type Wire } from './conversation';

const WIRES: Wire[] = ['chat', 'messages', 'responses'];

const sizeOf = (wire: Wire, tokens: number): number =>
  Buffer.byteLength(JSON.stringify(toBody(wire, conversationOf(tokens, 1), 'm', false)));

describe.each(WIRES)('a conversation on the wire %s', (wire) => {
  it.each([
    [1_000, 4_260],
    [10_000, 42_600],
    [100_000, 426_000],
  ])('of %d tokens has a body of about %d bytes', (tokens, bytes) => {
    const ratio = sizeOf(wire, tokens) / bytes;
    expect(ratio).toBeGreaterThan(0.9);
    expect(ratio).toBeLessThan(1.15);
  });

  it('asks for a stream only if that is wanted', () => {
    const conversation = conversationOf(1_000, 1);
    expect(toBody(wire, conversation, 'm', true)).toMatchObject({ stream: true, model: 'm' });
    expect(toBody(wire, conversation, 'm', false)).not.toHaveProperty('stream');
  });
});

it('has many messages, tools, and a stamp in every text', () => {
  const { system, task, tools, steps } = conversationOf(100_000, 1);
  expect(tools).toHaveLength(16);
  expect(steps.length).toBeGreaterThan(50);
  const texts = [system, task, ...tools.map(({ description }) => description)];
  for (const text of [...texts, ...steps.flatMap(({ said, output }) => [said, output])])
    expect(text.startsWith(STAMP)).toBe(true);
});

it('has another text for another seed', () => {
  expect(conversationOf(1_000, 1)).toEqual(conversationOf(1_000, 1));
  expect(conversationOf(1_000, 1).task).not.toBe(conversationOf(1_000, 2).task);
});

it('grows turn by turn, and repeats its history', () => {
  const whole = conversationOf(50_000, 1);
  const turns = Array.from({ length: 40 }, (_, turn) => atTurn(whole, turn + 1, 40));
  expect(turns[39]).toEqual(whole);
  for (const [turn, { steps }] of turns.slice(1).entries()) {
    const before = turns[turn]?.steps ?? [];
    expect(steps.slice(0, before.length)).toEqual(before);
    expect(steps.length).toBeGreaterThanOrEqual(before.length);
  }
  expect(turns[0]?.steps.length).toBeLessThan(5);
});
