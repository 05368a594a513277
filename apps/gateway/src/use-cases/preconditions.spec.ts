import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ApiError } from '@farebox/errors';
import { REFUSALS } from '@farebox/ledger';
import {
  precondition,
  preconditionNow,
  PRECONDITION_OF_REFUSAL,
  PRECONDITIONS,
  refuserOf,
} from './preconditions';

describe('the order of the preconditions', () => {
  it('is that in which the ledger looks', () => {
    const places = REFUSALS.map((refusal) => PRECONDITION_OF_REFUSAL[refusal]).flatMap((name) =>
      name === undefined ? [] : [PRECONDITIONS.indexOf(name)],
    );
    expect(places).toEqual([...places].sort((a, b) => a - b));
    expect(new Set(places).size).toBe(6);
  });

  it('is that of the documentation', () => {
    const page = readFileSync(join(__dirname, '../../../../docs/API.md'), 'utf8');
    const [, list = ''] = page.split('### The order in which a request is refused');
    const named = [...list.matchAll(/^\d+\. \*\*(.+?)\*\*/gm)].map((match) => match[1]?.replaceAll(' ', '_'));
    expect(named).toEqual([...PRECONDITIONS]);
  });
});

describe('a precondition', () => {
  const refuse = (error: Error) => () => Promise.reject(error);

  it('answers with what its check finds', async () => {
    expect(await precondition('credential', () => Promise.resolve(7))).toBe(7);
    expect(preconditionNow('credential', () => 7)).toBe(7);
  });

  it.each([
    ['what the client is to mend', new ApiError('insufficient_funds'), 'balance'],
    ['a failure of the service', new ApiError('service_unavailable'), undefined],
    ['what is no answer', new Error('lost'), undefined],
  ])('marks %s', async (_name, error, refuser) => {
    await expect(precondition('balance', refuse(error))).rejects.toBe(error);
    expect(refuserOf(error)).toBe(refuser);
  });

  it('marks also what a check throws that waits for nothing', () => {
    const error = new ApiError('model_not_found');
    const check = (): never => {
      throw error;
    };
    expect(() => preconditionNow('model_policy', check)).toThrow(error);
    expect(refuserOf(error)).toBe('model_policy');
  });
});
