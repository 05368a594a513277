import fc from 'fast-check';
import { aroundWhole, CANARY, index, members, mostly, streamOf, text } from './odd-values';
import { reportedBy, usageOf } from './usage';

/** Possible answers of a Messages server. Its seals of thoughts are passed on, so they contain no canary. */

const stopReason = fc.constantFrom(
  ...['end_turn', 'end_turn', 'end_turn', 'max_tokens', 'stop_sequence', 'tool_use', 'pause_turn'].map(
    (reason) => `"${reason}"`,
  ),
  ...['"refusal"', '"model_context_window_exceeded"', '"toString"', '"__proto__"', '""', 'null', '1', '{}'],
);

const usage = mostly(usageOf('messages'), fc.constantFrom('null', '[]', '1', '"x"'));

const input = fc.constantFrom(
  ...['{}', '{"city":"Bern"}', '{"a":[1,{"b":null}]}', 'null', '[]', '"x"', '1', '{"__proto__":1}'],
  JSON.stringify({ long: 'x'.repeat(20_000) }),
);
const citation = fc.constantFrom(
  `{"type":"web_search_result_location","url":"https://tram.example/","title":"T","encrypted_index":"${CANARY}"}`,
  `{"type":"web_search_result_location","url":"javascript:1","title":1,"cited_text":"${CANARY}"}`,
  `{"type":"char_location","document_title":"${CANARY}","start_char_index":0}`,
  ...['null', '1', '{}', '"x"'],
);
const citations = fc.oneof(
  { arbitrary: fc.constantFrom('null', '[]'), weight: 4 },
  { arbitrary: fc.array(citation, { maxLength: 3 }).map((some) => `[${some.join(',')}]`), weight: 1 },
);
const seal = fc.constantFrom('"c2VhbA=="', '""', 'null', '1', JSON.stringify('s'.repeat(70_000)));

const block = fc.oneof(
  { arbitrary: text.map((said) => `{"type":"text","text":${said}}`), weight: 8 },
  { arbitrary: members({ type: fc.constant('"text"'), text, citations }), weight: 2 },
  { arbitrary: members({ type: fc.constant('"thinking"'), thinking: text, signature: seal }), weight: 2 },
  { arbitrary: seal.map((data) => `{"type":"redacted_thinking","data":${data}}`), weight: 1 },
  {
    arbitrary: members({
      type: fc.constant('"tool_use"'),
      id: fc.constant(`"${CANARY}"`),
      name: text,
      input,
    }),
    weight: 2,
  },
  {
    arbitrary: fc.constantFrom(
      `{"type":"server_tool_use","id":"${CANARY}","name":"${CANARY}","input":{}}`,
      `{"type":"${CANARY}"}`,
      ...['null', '1', '[]', '{}', '"x"', '{"type":"text"}', '{"type":"toString"}'],
    ),
    weight: 1,
  },
);

const own = `"id":"${CANARY}","type":"message","role":"assistant","model":"${CANARY}"`;
const error = fc
  .constantFrom('invalid_request_error', 'overloaded_error', 'api_error', 'toString')
  .map((type) => `{"type":"error","error":{"type":"${type}","message":"${CANARY}"}}`);

const content = fc.oneof(
  {
    arbitrary: fc.array(block, { minLength: 1, maxLength: 4 }).map((some) => `[${some.join(',')}]`),
    weight: 12,
  },
  { arbitrary: fc.constantFrom('[]', 'null', '{}', '"x"', '[[]]'), weight: 1 },
);
const stopSequence = mostly(fc.constant('null'), fc.constantFrom('"the"', `"${CANARY}"`, '1'));

/** Non-streamed answers. */
export const messagesBody = aroundWhole(
  fc.oneof(
    {
      arbitrary: fc
        .tuple(content, stopReason, usage)
        .map(
          ([blocks, reason, used]) => `{${own},"content":${blocks},"stop_reason":${reason},"usage":${used}}`,
        ),
      weight: 10,
    },
    {
      arbitrary: members({ content, stop_reason: stopReason, stop_sequence: stopSequence, usage }),
      weight: 2,
    },
    { arbitrary: fc.oneof(error, fc.constantFrom('', 'null', '[]', '"x"', '{}', '{')), weight: 1 },
  ),
);

const delta = fc.oneof(
  { arbitrary: text.map((said) => `{"type":"text_delta","text":${said}}`), weight: 8 },
  { arbitrary: text.map((said) => `{"type":"thinking_delta","thinking":${said}}`), weight: 1 },
  { arbitrary: text.map((said) => `{"type":"input_json_delta","partial_json":${said}}`), weight: 2 },
  { arbitrary: seal.map((said) => `{"type":"signature_delta","signature":${said}}`), weight: 1 },
  { arbitrary: citation.map((said) => `{"type":"citations_delta","citation":${said}}`), weight: 1 },
  { arbitrary: fc.constantFrom('null', '{}', '1', `{"type":"${CANARY}"}`), weight: 1 },
);

/** The events of one block, which may contradict each other. */
const blockEvents = fc
  .tuple(mostly(fc.constantFrom('0', '1', '2'), index), block, fc.array(delta, { maxLength: 5 }))
  .map(([at, begun, deltas]) => [
    `{"type":"content_block_start","index":${at},"content_block":${begun}}`,
    ...deltas.map((one) => `{"type":"content_block_delta","index":${at},"delta":${one}}`),
    `{"type":"content_block_stop","index":${at}}`,
  ]);
const oddEvent = fc.oneof(
  fc.constantFrom('{"type":"ping"}', '{"type":"message_start"}', '{"type":"message_stop"}', '[DONE]', ''),
  fc.constantFrom('null', '{}', '[]', '{', '"x"', '1e400', `{"type":"${CANARY}"}`),
  fc.constantFrom('{"type":"content_block_delta"}', '{"type":"message_delta"}', '{"type":"error"}'),
  error,
);

const start = usage.map((used) => `{"type":"message_start","message":{${own},"content":[],"usage":${used}}}`);
const ending = fc
  .tuple(stopReason, stopSequence, usage, reportedBy('messages'), fc.nat(3))
  .map(([reason, sequence, used, report, dice]) => [
    `{"type":"message_delta","delta":{"stop_reason":${reason},"stop_sequence":${sequence}},"usage":${used}}`,
    `{"type":"message_stop"${dice === 0 ? `,${report}` : ''}}`,
  ]);

/** Streams. */
export const messagesStream = streamOf(
  fc
    .tuple(
      fc.oneof(
        { arbitrary: start.map((one) => [one]), weight: 9 },
        { arbitrary: fc.constant([]), weight: 1 },
      ),
      fc.array(
        fc.oneof(
          { arbitrary: blockEvents, weight: 12 },
          { arbitrary: oddEvent.map((one) => [one]), weight: 1 },
        ),
        { maxLength: 5 },
      ),
      fc.oneof(
        { arbitrary: ending, weight: 6 },
        { arbitrary: fc.array(oddEvent, { maxLength: 3 }), weight: 3 },
      ),
    )
    .map(([first, blocks, last]) => [...first, ...blocks.flat(), ...last]),
);
