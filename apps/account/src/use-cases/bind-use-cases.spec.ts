import { NANO_PER_CENT, toNanoUsd } from '@farebox/money';
import { bindUseCases } from './bind-use-cases';
import type { Sources } from './sources';

const BOUNDS = { minNano: toNanoUsd(NANO_PER_CENT), maxNano: toNanoUsd(NANO_PER_CENT) };
const notCalled = () => Promise.reject(new Error('not called'));
const CARD = { bounds: BOUNDS, openPaymentPage: notCalled, openCardPage: notCalled };

it('http/ gets functions, and no client to query', () => {
  const groups = Object.values(bindUseCases({} as Sources, CARD)).map((group) => ({ ...group }));
  const others = groups.flatMap((group) =>
    Object.entries(group).filter(([, value]) => typeof value !== 'function'),
  );

  expect(others).toEqual([['bounds', BOUNDS]]);
});
