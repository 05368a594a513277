import { readTraceparent } from './otlp-tracing';
import { type SpanAttributes, toExportedAttributes } from './tracing';

it('exports only the listed attributes', () => {
  const attributes = {
    'gen_ai.request.model': 'small',
    'gen_ai.usage.input_tokens': 3,
    'gen_ai.request.stream': true,
    'gen_ai.response.finish_reasons': ['stop'],
    'farebox.outcome': undefined,
    'gen_ai.input.messages': 'Tell me something.',
    'http.request.header.authorization': 'Bearer ak-secret',
    constructor: 'x',
  } as SpanAttributes;
  expect(toExportedAttributes(attributes)).toEqual({
    'gen_ai.request.model': 'small',
    'gen_ai.usage.input_tokens': 3,
    'gen_ai.request.stream': true,
    'gen_ai.response.finish_reasons': ['stop'],
  });
});

it('exports no value of another kind, and none that looks like a secret', () => {
  const attributes = {
    'gen_ai.usage.input_tokens': '3',
    'gen_ai.request.model': { a: 1 },
    'gen_ai.response.finish_reasons': ['stop', { a: 1 }],
  } as unknown as SpanAttributes;
  expect(toExportedAttributes(attributes)).toEqual({});
  const secret = `ak-${'a'.repeat(38)}`;
  expect(JSON.stringify(toExportedAttributes({ 'gen_ai.request.model': secret }))).not.toContain(secret);
});

const TRACE = '4bf92f3577b34da6a3ce929d0e0e4736';
const SPAN = '00f067aa0ba902b7';

it('reads the span in a traceparent header', () => {
  const named = { traceId: TRACE, spanId: SPAN, isRemote: true };
  expect(readTraceparent(`00-${TRACE}-${SPAN}-01`)).toEqual({ ...named, traceFlags: 1 });
  expect(readTraceparent(`00-${TRACE}-${SPAN}-00`)).toEqual({ ...named, traceFlags: 0 });
  expect(readTraceparent(`01-${TRACE}-${SPAN}-03-what-comes`)).toEqual({ ...named, traceFlags: 1 });
});

it.each([
  '',
  `00-${TRACE}-${SPAN}`,
  `00-${TRACE}-${SPAN}-01-more`,
  `ff-${TRACE}-${SPAN}-01`,
  `00-${'0'.repeat(32)}-${SPAN}-01`,
  `00-${TRACE}-${'0'.repeat(16)}-01`,
  `00-${TRACE.toUpperCase()}-${SPAN}-01`,
  ` 00-${TRACE}-${SPAN}-01`,
])('ignores %j', (header) => {
  expect(readTraceparent(header)).toBeUndefined();
});
