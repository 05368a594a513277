import { ReceivedRequest } from './received-request';
import { askForPace } from './upstream-answers';

const LONG = 'x'.repeat(10_000);

function receive(body: string, partBytes: number, head?: string): ReceivedRequest {
  const request = new ReceivedRequest(
    head ?? `POST /v1/messages HTTP/1.1\r\ncontent-length: ${String(Buffer.byteLength(body))}`,
  );
  const bytes = Buffer.from(body);
  for (let at = 0; at < bytes.length; at += partBytes) {
    expect(request.isWhole).toBe(false);
    expect(request.take(bytes.subarray(at, at + partBytes)).length).toBe(0);
  }
  return request;
}

describe.each([5, 100_000])('a request in parts of %d bytes', (partBytes) => {
  it('is whole at its end, and says whether it asks for a stream', () => {
    for (const around of ['', LONG]) {
      const stream = receive(`{"a":"${around}","stream":true,"b":"${around}"}`, partBytes);
      expect([stream.isWhole, stream.isStream, stream.path]).toEqual([true, true, '/v1/messages']);
      const whole = receive(`{"a":"${around}","b":"${around}"}`, partBytes);
      expect([whole.isWhole, whole.isStream]).toEqual([true, false]);
    }
  });

  it('is whole at its last chunk if its length was not known', () => {
    const body = `2710\r\n${LONG}\r\n0\r\n\r\n`;
    const request = receive(body, partBytes, 'POST / HTTP/1.1\r\nTransfer-Encoding: chunked');
    expect(request.isWhole).toBe(true);
  });

  it('may ask for a pace in its beginning, however long it is', () => {
    const pace = { chunks: 20, everyMs: 5 };
    expect(receive(askForPace(pace), partBytes).pace).toEqual(pace);
    expect(receive(askForPace(pace) + LONG, partBytes).pace).toEqual(pace);
    expect(receive(LONG + askForPace(pace), partBytes).pace).toBeUndefined();
  });
});

it('leaves the bytes of the next request', () => {
  const request = new ReceivedRequest('POST / HTTP/1.1\r\ncontent-length: 2');
  expect(request.take(Buffer.from('{}POST')).toString()).toBe('POST');
  expect([request.isWhole, request.bytes]).toEqual([true, 2]);
});

it('needs no body', () => {
  expect(new ReceivedRequest('GET /asked HTTP/1.1').isWhole).toBe(true);
});
