import { toPublicId, uuidV7 } from '@farebox/auth';
import { chooseRequestId } from './request-context';

const id = uuidV7();
const own = (value: string): string => chooseRequestId({ 'x-request-id': value }, id);

describe('the request id', () => {
  it("is the client's own if it is well formed", () => {
    expect(own('Order-17.a_b')).toBe('Order-17.a_b');
    expect(chooseRequestId({ 'x-request-id': 'b', 'x-service-request-id': 'a' }, id)).toBe('a');
  });

  it.each(['', 'a b', 'a\r\nX: y', 'é', 'a\tb', 'a'.repeat(129), '"'])(
    "is the request's own in place of %j",
    (value) => {
      expect(own(value)).toBe(toPublicId('req', id));
    },
  );
});
