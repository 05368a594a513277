import fc from 'fast-check';
import { SseParser } from './sse-parser';

function parse(chunks: Buffer[]): string[] {
  const events: string[] = [];
  const parser = new SseParser((data) => events.push(data));
  for (const chunk of chunks) parser.push(chunk);
  return events;
}

const stream =
  ': hello\r\n\r\ndata: {"a":"é"}\r\n\r\nevent: x\nid: 1\ndata:one\ndata: two\n\n:\rdata\r\rdatabase: no\n\ndata: [DONE]\n\n';
const events = ['{"a":"é"}', 'one\ntwo', '', '[DONE]'];

describe('SseParser', () => {
  it('reads line ends of all kinds, comments, other fields and joined data', () => {
    expect(parse([Buffer.from(stream)])).toEqual(events);
  });

  it('reads the same wherever the stream is cut, inside of characters and line ends too', () => {
    const bytes = Buffer.from(stream);
    fc.assert(
      fc.property(fc.array(fc.nat(bytes.length), { maxLength: 20 }), (cuts) => {
        const edges = [0, ...cuts.sort((a, b) => a - b), bytes.length];
        expect(parse(edges.slice(1).map((end, i) => bytes.subarray(edges[i], end)))).toEqual(events);
      }),
    );
  });

  it('hands on nothing of an event that did not end', () => {
    expect(parse([Buffer.from('data: half\n')])).toEqual([]);
  });

  it('gives up on a line or an event without an end', () => {
    const long = Buffer.alloc(600_000, 'x');
    expect(() => parse([Buffer.from('data: '), long, long])).toThrow(RangeError);
    const line = Buffer.concat([Buffer.from('data: '), long, Buffer.from('\n')]);
    expect(() => parse([line, line])).toThrow(RangeError);
  });
});
