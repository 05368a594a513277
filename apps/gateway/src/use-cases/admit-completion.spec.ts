import type { Model } from '@farebox/catalog';
import { createAnswerCipher, type AdmissionResult, type GatewayLedger } from '@farebox/ledger';
import { toPicoUsd } from '@farebox/money';
import { createLogger, NO_SPAN } from '@farebox/observability';
import type { Caller } from '../identity/caller';
import { admitCompletion, type AdmissionDeps } from './admit-completion';
import type { ChatRequest } from './complete-chat';
import { toKeptBytes } from './kept-answer';
import { planCompletion } from './plan-completion';

const model: Model = {
  id: 'small',
  ownedBy: 'farebox',
  routes: [],
  contextWindow: 1_000,
  maxOutputTokens: 10,
  defaultMaxOutputTokens: undefined,
  tokenizer: undefined,
  modalities: ['text'],
  imageTokens: undefined,
  visibility: { to: 'public' },
  price: { id: 'price', inputPricePico: toPicoUsd(1n), outputPricePico: toPicoUsd(1n) },
  createdAt: 0,
};

const caller: Caller = {
  apiKeyId: 'key',
  accountId: 'account',
  version: 1,
  status: 'active',
  expiresAt: null,
  inviteStatus: 'active',
  cohortName: 'default',
  modelPolicy: null,
};

const catalog = {
  current: {
    snapshot: { version: 1, upstreams: new Map(), models: new Map([[model.id, model]]) },
    clients: new Map(),
    tokenizers: new Map(),
    fallbackTokenizer: (text: string) => text.length,
  },
  close: () => Promise.resolve(),
};

const answers = createAnswerCipher([{ version: 1, secret: Buffer.alloc(32) }]);
const whole = { kind: 'whole' as const, body: '{}' };

/** A ledger that gives these answers, one after the other, and keeps one answer under each of these holds. */
function ledgerOf(results: AdmissionResult[], kept: string[]): GatewayLedger & { asked: () => number } {
  let asked = 0;
  return {
    asked: () => asked,
    admit: () => Promise.resolve(results[asked++] ?? { outcome: 'lease_lapsed' }),
    settle: () => Promise.resolve('resolved'),
    readAnswer: (holdId) =>
      Promise.resolve(kept.includes(holdId) ? answers.encrypt(toKeptBytes(whole), holdId) : undefined),
    refund: () => Promise.resolve(true),
    isConnected: true,
    close: () => Promise.resolve(),
  };
}

async function admit(ledger: GatewayLedger): Promise<{ outcome: string; identifications: number }> {
  let identifications = 0;
  const log = createLogger({ service: 'gateway', level: 'silent' });
  const charges = { recorded: () => undefined, unrecorded: () => undefined };
  const deps: AdmissionDeps = { ledger, answers, charges, log, now: () => 0, catalog };
  const chat: ChatRequest = {
    requestId: 'req',
    startedAtMs: 0,
    caller,
    identifyAgain: () => {
      identifications++;
      return Promise.resolve({ ...caller, version: 2 });
    },
    body: { model: 'small', messages: [{ role: 'user', content: 'Hello' }] },
    idempotency: { key: 'once', fingerprint: Buffer.alloc(32) },
    span: NO_SPAN,
  };
  const { outcome } = await admitCompletion(deps, chat, planCompletion(catalog.current, caller, chat.body));
  return { outcome, identifications };
}

const replay = (holdId: string): AdmissionResult => ({ outcome: 'replay', holdId });

describe('the admission of a completion', () => {
  it('gives the answer that is kept under the former hold', async () => {
    expect(await admit(ledgerOf([replay('former')], ['former']))).toEqual({
      outcome: 'replay',
      identifications: 0,
    });
  });

  it('asks once more where the answer was forgotten in between', async () => {
    const ledger = ledgerOf([replay('former'), { outcome: 'admitted' }], []);
    expect(await admit(ledger)).toEqual({ outcome: 'placed', identifications: 0 });
    expect(ledger.asked()).toBe(2);
  });

  it('identifies a key again that has changed, and then finds its answer', async () => {
    const ledger = ledgerOf([{ outcome: 'key_changed' }, replay('former')], ['former']);
    expect(await admit(ledger)).toEqual({ outcome: 'replay', identifications: 1 });
  });

  it('does not ask for ever', async () => {
    const ledger = ledgerOf(
      Array.from({ length: 10 }, () => replay('former')),
      [],
    );
    await expect(admit(ledger)).rejects.toMatchObject({ code: 'service_unavailable', retryAfterSeconds: 1 });
    expect(ledger.asked()).toBe(3);
  });

  it('is not decided while the answer cannot be read from the database', async () => {
    const ledger = ledgerOf([replay('former')], []);
    ledger.readAnswer = () => Promise.reject(new Error('connection lost'));
    await expect(admit(ledger)).rejects.toMatchObject({ code: 'service_unavailable' });
  });
});
