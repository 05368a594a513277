import { agentAnswer, AGENTS, wireOf } from './agent-answers';
import type { Wire } from './conversation';
import { DEFAULT_PACE, streamedText, TOKEN_TEXT, WHOLE_TEXT, wholeText } from './upstream-answers';

const WIRES: Wire[] = ['chat', 'messages', 'responses'];
const BYTES = 42_600;

describe.each(WIRES)("the upstream's answer on the wire %s", (wire) => {
  it('has its text, whole and streamed', () => {
    expect(wholeText(agentAnswer(wire, false, BYTES))).toBe(WHOLE_TEXT);
    expect(streamedText(agentAnswer(wire, true, BYTES))).toBe(TOKEN_TEXT.repeat(DEFAULT_PACE.chunks));
  });

  it('reports tokens after the size of the request, most of them cached', () => {
    for (const isStream of [true, false]) {
      const text = agentAnswer(wire, isStream, BYTES);
      expect(text).toContain(wire === 'messages' ? '"cache_read_input_tokens":9000' : '"cached_tokens":9000');
      expect(text).not.toContain('{"usage":true}');
    }
  });

  it('is no proper stream without its end', () => {
    const events = agentAnswer(wire, true, BYTES).trimEnd().split('\n\n');
    expect(streamedText(events.slice(0, -1).join('\n\n'))).toBeUndefined();
  });
});

it("knows an agent's wire by its path", () => {
  expect(wireOf(`${AGENTS}/v1/messages`)).toBe('messages');
  expect(wireOf(`${AGENTS}/v1/chat/completions`)).toBe('chat');
  expect(wireOf('/v1/messages')).toBeUndefined();
});
