import fc from 'fast-check';
import { EventReader, MAX_LINE_LENGTH, SseParser } from './body-readers';

function parse(chunks: readonly (Buffer | string)[]): string[] {
  const events: string[] = [];
  const parser = new SseParser((data) => events.push(data));
  for (const chunk of chunks) parser.push(Buffer.from(chunk));
  return events;
}

describe('an event stream', () => {
  it.each([
    ['line feeds', 'data: a\n\ndata: b\n\n', ['a', 'b']],
    ['carriage returns with line feeds', 'data: a\r\n\r\ndata: b\r\n\r\n', ['a', 'b']],
    ['carriage returns', 'data: a\r\rdata: b\r\r', ['a', 'b']],
    ['all of them', 'data: a\r\n\ndata: b\n\r\ndata: c\r\n\r', ['a', 'b', 'c']],
    ['a byte-order mark', '\uFEFFdata: a\n\n', ['a']],
    ['a misplaced byte-order mark', 'data: a\n\n\uFEFFdata: b\n\ndata: \uFEFFc\n\n', ['a', '\uFEFFc']],
    ['comments', ': hello\n\n:\ndata: a\n: between\ndata: b\n\n: bye\n\n', ['a\nb']],
    ['no space, and more than one', 'data:a\n\ndata:  b\n\n', ['a', ' b']],
    ['several lines of data', 'data: a\ndata:\ndata: b\n\n', ['a\n\nb']],
    ['data without a value', 'data\n\ndata:\n\ndata\ndata\n\n', ['', '', '\n']],
    ['other fields', 'event: x\nid: 1\nretry: 3\ndata: a\nfoo: b\n\nevent: y\n\n', ['a']],
    ['fields whose name only begins like data', 'database: no\ndata2: no\n data: no\nDATA: no\n\n', []],
    ['only blank lines', '\n\n\r\n\r\r\n', []],
    ['colons in the data', 'data: a: b:c\n\n', ['a: b:c']],
    ['an event without an end', 'data: a\n\ndata: half\n', ['a']],
    ['a line without an end', 'data: a\n\ndata: half', ['a']],
  ])('with %s is read according to the standard', (_name, stream, events) => {
    expect(parse([stream])).toEqual(events);
    expect(parse(Array.from(Buffer.from(stream), (byte) => Buffer.of(byte)))).toEqual(events);
  });

  it('is read the same wherever it is split, also inside characters and line ends', () => {
    const bytes = Buffer.from(
      ': hello\r\n\r\ndata: {"a":"é"}\r\n\r\nid: 1\ndata:one\ndata: 🂡\n\n:\rdata\r\rdata: [DONE]\n\n',
    );
    fc.assert(
      fc.property(fc.array(fc.nat(bytes.length), { maxLength: 20 }), (cuts) => {
        const edges = [0, ...cuts.sort((a, b) => a - b), bytes.length];
        const chunks = edges.slice(1).map((end, i) => bytes.subarray(edges[i], end));
        expect(parse(chunks)).toEqual(['{"a":"é"}', 'one\n🂡', '', '[DONE]']);
      }),
    );
  });

  it('returns the data it was made from, in every spelling of the standard', () => {
    const lineEnd = fc.constantFrom('\n', '\r\n', '\r');
    const noise = fc.constantFrom('', ': keep-alive', 'event: x', 'id: 7', 'retry: 1', 'foo');
    const line = fc.string({ unit: 'grapheme' }).filter((text) => !/[\r\n]/.test(text));
    const event = fc.record({
      lines: fc.array(line, { minLength: 1, maxLength: 4 }),
      noise: noise.filter((text) => text !== ''),
      space: fc.constantFrom(' ', ''),
      lineEnd,
    });
    fc.assert(
      fc.property(fc.array(event), (events) => {
        const stream = events.map(({ lines, noise: other, space, lineEnd: end }) => {
          const data = lines.map((text) => `data:${text.startsWith(' ') ? ' ' : space}${text}${end}`);
          return `${other}${end}${data.join('')}${end}`;
        });
        expect(parse(stream)).toEqual(events.map(({ lines }) => lines.join('\n')));
      }),
    );
  });
});

describe('the end of an event stream', () => {
  function readAll(stream: string): string[] {
    const result: string[] = [];
    const reader = new EventReader({
      onData: (data) => result.push(data),
      onEnd: () => result.push('end'),
      onFailure: () => result.push('failure'),
    });
    for (const byte of Buffer.from(stream)) reader.onChunk(Buffer.of(byte));
    reader.onEnd();
    return result;
  }

  it.each([
    ['no blank line', 'data: {"a":1}\n\ndata: {"b":2}\n', ['{"a":1}', '{"b":2}', 'end']],
    ['no end of a line', 'data: {"a":1}\n\ndata: {"b":2}', ['{"a":1}', '{"b":2}', 'end']],
    ['a carriage return', 'data: {"b":2}\r', ['{"b":2}', 'end']],
    ['two lines of data', 'data: {"b":\ndata: 2}', ['{"b":\n2}', 'end']],
    ['a field after it', 'data: {"b":2}\nid: 1', ['{"b":2}', 'end']],
    ['nothing but its end', 'data: {"a":1}\n\ndata: [DONE]', ['{"a":1}', '[DONE]', 'end']],
  ])('ends with its last event, with %s', (_name, stream, result) => {
    expect(readAll(stream)).toEqual(result);
  });

  it.each([
    ['with a missing part', 'data: {"a":1}\n\ndata: {"b":', ['{"a":1}', 'end']],
    ['that is only begun', 'data: {"a":1}\n\nda', ['{"a":1}', 'end']],
    ['without data', 'data: {"a":1}\n\ndata:', ['{"a":1}', 'end']],
    ['that is a comment', 'data: {"a":1}\n\n: bye', ['{"a":1}', 'end']],
  ])('drops an event %s', (_name, stream, result) => {
    expect(readAll(stream)).toEqual(result);
  });
});

describe('an unbounded event stream', () => {
  const half = Buffer.alloc(MAX_LINE_LENGTH / 2 + 1, 'x');
  it.each([
    ['a line', ['data: ', half, half]],
    ['a comment', [': ', half, half]],
    ['an event', ['data: ', half, '\n', 'data: ', half, '\n']],
    ['an event of empty lines', ['data\n'.repeat(MAX_LINE_LENGTH + 2)]],
  ])('is abandoned over %s', (_name, chunks) => {
    expect(() => parse(chunks)).toThrow(RangeError);
  });

  it('is read in linear time, however small its pieces are', () => {
    const parser = new SseParser(() => undefined);
    const piece = Buffer.from('x');
    // Joining the line again at each piece would take minutes.
    for (let length = 0; length < MAX_LINE_LENGTH; length++) parser.push(piece);
    expect(() => {
      parser.push(piece);
    }).toThrow(RangeError);
  });
});
