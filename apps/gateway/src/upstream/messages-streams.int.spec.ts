import { askBy, readBy, WIRE_CASES } from '../../test/wires';
import { startUsageHarness, type UsageHarness } from '../../test/usage/usage-harness';

// Streams of Messages servers that deviate from the usual sequence of blocks.

let harness: UsageHarness;
beforeAll(async () => {
  harness = await startUsageHarness();
});
afterAll(() => harness.close());

const streamOf = (...events: object[]): string =>
  events.map((event) => `data: ${JSON.stringify(event)}\n\n`).join('');

const begin = (id: string, more: object = {}): object => ({
  type: 'message_start',
  message: { type: 'message', id, role: 'assistant', content: [], usage: { input_tokens: 20 }, ...more },
});
const call = (input: object): object => ({ type: 'tool_use', id: 'toolu_1', name: 'weather', input });
const text = (index: number, said: string): object[] => [
  { type: 'content_block_start', index, content_block: { type: 'text', text: '' } },
  { type: 'content_block_delta', index, delta: { type: 'text_delta', text: said } },
];
const end = (stop_reason: string): object[] => [
  { type: 'message_delta', delta: { stop_reason }, usage: { output_tokens: 9 } },
  { type: 'message_stop' },
];

describe.each(WIRE_CASES)('$name', (wire) => {
  const result = async (...events: object[]) => {
    harness.answer(streamOf(...events));
    const { secret } = await harness.gateway.givenKey();
    return readBy(wire, await askBy(wire, harness.gateway, secret, { model: 'messages', stream: true }));
  };

  it('returns a call that is complete in the first event of the stream', async () => {
    const whole = { content: [call({ day: 'today' })], stop_reason: 'tool_use', stop_sequence: null };
    const usage = { input_tokens: 20, output_tokens: 9 };
    expect(await result(begin('msg_1', { ...whole, usage }), { type: 'message_stop' })).toMatchObject({
      calls: ['weather'],
      usage: { inputTokens: 20, outputTokens: 9 },
      error: undefined,
      isWhole: true,
    });
  });

  it('returns an answer once if its first event comes twice', async () => {
    expect(
      await result(begin('msg_1'), begin('msg_1'), ...text(0, 'Trams'), ...end('end_turn')),
    ).toMatchObject({ text: 'Trams', error: undefined, isWhole: true });
  });

  it('returns the answer that follows an empty one', async () => {
    expect(
      await result(begin('msg_1'), begin('msg_2'), ...text(0, 'Trams'), ...end('end_turn')),
    ).toMatchObject({ text: 'Trams', error: undefined, isWhole: true });
  });

  it('gets an error if another answer begins before the first one ends', async () => {
    expect(
      await result(
        begin('msg_1'),
        ...text(0, 'Trams ru'),
        begin('msg_2'),
        ...text(0, 'Trams run'),
        ...end('end_turn'),
      ),
    ).toMatchObject({ text: 'Trams ru', error: wire.nameOf('service_unavailable'), isWhole: false });
  });
});
