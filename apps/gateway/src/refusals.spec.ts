import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ApiError } from '@farebox/errors';
import { REFUSALS } from '@farebox/ledger';
import { PRECONDITIONS, REFUSED, RefusalError, toRefusal } from './refusals';

describe('the order of the preconditions', () => {
  it('is that in which the ledger looks', () => {
    const places = REFUSALS.map((refusal) => REFUSED[refusal].precondition).flatMap((name) =>
      name === undefined ? [] : [PRECONDITIONS.indexOf(name)],
    );
    expect(places).toEqual([...places].sort((a, b) => a - b));
    expect(new Set(places).size).toBe(6);
  });

  it('is that of the documentation', () => {
    const page = readFileSync(join(__dirname, '../../../docs/API.md'), 'utf8');
    const [, list = ''] = page.split('### The order in which a request is refused');
    const named = [...list.matchAll(/^\d+\. \*\*(.+?)\*\*/gm)].map((match) => match[1]?.replaceAll(' ', '_'));
    expect(named).toEqual([...PRECONDITIONS]);
  });
});

describe('what a check throws', () => {
  it('that the client is to mend is refused by the precondition, and says the same', () => {
    const cause = new Error('cut short');
    const thrown = new ApiError('invalid_request_error', {
      message: 'The body took too long.',
      param: 'messages',
      status: 408,
      retryAfterSeconds: 3,
      headers: [['x-left', '0']],
      cause,
    });
    const refusal = toRefusal('body', thrown) as RefusalError;
    expect(refusal).toBeInstanceOf(RefusalError);
    expect(refusal.precondition).toBe('body');
    expect(refusal.cause).toBe(cause);
    expect(Object.entries(refusal)).toEqual([...Object.entries(thrown), ['precondition', 'body']]);
  });

  it.each([
    ['a failure of the service', new ApiError('service_unavailable')],
    ['what is no answer', new Error('lost')],
  ])('that is %s refuses nothing', (_name, error) => {
    expect(toRefusal('balance', error)).toBe(error);
  });
});
