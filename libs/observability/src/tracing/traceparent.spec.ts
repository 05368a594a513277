import { readTraceparent } from './traceparent';

const TRACE = '4bf92f3577b34da6a3ce929d0e0e4736';
const SPAN = '00f067aa0ba902b7';

it('reads the span that a traceparent names', () => {
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
])('passes over %j', (header) => {
  expect(readTraceparent(header)).toBeUndefined();
});
