import { NANO_PER_CENT, toNanoUsd } from '@farebox/money';
import { bindUseCases } from './bind-use-cases';
import { createWebhookSecrets } from '@farebox/webhooks';
import type { Sources } from './sources';

const BOUNDS = { minNano: toNanoUsd(NANO_PER_CENT), maxNano: toNanoUsd(NANO_PER_CENT) };
const notCalled = () => Promise.reject(new Error('not called'));
const CARD = { bounds: BOUNDS, openPaymentPage: notCalled, openCardPage: notCalled };
const KEY = { version: 1, secret: Buffer.alloc(32) };
const WEBHOOKS = { secrets: createWebhookSecrets([KEY]), allowsHttp: false };

it('http/ gets functions, and no client to query', () => {
  const groups = Object.values(bindUseCases({} as Sources, CARD, WEBHOOKS)).map((group) => ({ ...group }));
  const others = groups.flatMap((group) =>
    Object.entries(group).filter(([, value]) => typeof value !== 'function'),
  );

  expect(others).toEqual([['bounds', BOUNDS]]);
});
