import { chooseRequestId } from './request-context';

const own = (value: string): string => chooseRequestId({ 'x-request-id': value });

describe('the request id', () => {
  it("is the client's own where that is well formed", () => {
    expect(own('Order-17.a_b')).toBe('Order-17.a_b');
    expect(chooseRequestId({ 'x-request-id': 'b', 'x-service-request-id': 'a' })).toBe('a');
  });

  it.each(['', 'a b', 'a\r\nX: y', 'é', 'a\tb', 'a'.repeat(129), '"'])('replaces %j', (value) => {
    expect(own(value)).toMatch(/^req_[0-9a-z]{26}$/);
  });
});
