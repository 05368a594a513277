import type { TokenCount } from '@farebox/catalog';
import { LedgerUnavailableError, type AdmissionResult, type GatewayLedger } from '@farebox/ledger';
import { toNanoUsd } from '@farebox/money';
import { NO_SPAN } from '@farebox/observability';
import { admissionDeps, caller, catalog, counterOf, ledgerOf, model } from '../../test/admission-harness';
import type { TokenCounter } from '../tokens/token-counter';
import { chatPlanner } from '../chat/complete-chat';
import type { Asked } from '../chat/plan-completion';
import { RequestProgress } from './request-progress';
import { admitRequest } from './admit-request';
import type { PaidRequest } from './terms';

const HUNDRED: TokenCount = { least: 100, most: 100 };

interface AdmitOptions {
  counter?: TokenCounter;
  text?: string;
  model?: string;
}

async function admit(
  ledger: GatewayLedger,
  { counter = counterOf(HUNDRED), text = 'Hello', model: modelId = model.id }: AdmitOptions = {},
): Promise<{ outcome: string; identifications: number }> {
  let identifications = 0;
  const deps = admissionDeps(ledger, counter);
  const chat: Asked & PaidRequest = {
    id: 'hold',
    requestId: 'req',
    startedAtMs: 0,
    caller,
    permit: Promise.resolve({ headers: [], window: undefined, release: () => undefined }),
    isPermitSure: false,
    identifyAgain: () => {
      identifications++;
      return Promise.resolve({ ...caller, version: 2 });
    },
    body: { model: modelId, messages: [{ role: 'user', content: text }] },
    unknown: { own: new Map(), inner: [] },
    idempotency: { key: 'once', fingerprint: Buffer.alloc(32) },
    span: NO_SPAN,
    progress: new RequestProgress(),
  };
  const work = { ...chatPlanner(counter, chat, undefined), streamed: false };
  const { outcome } = await admitRequest(deps, chat, work, await work.plan(catalog.current, caller));
  return { outcome, identifications };
}

const replay = (holdId: string): AdmissionResult => ({ outcome: 'replay', holdId });

describe('the admission of a completion', () => {
  it('returns the response that is kept under the former hold', async () => {
    expect(await admit(ledgerOf([replay('former')], ['former']))).toEqual({
      outcome: 'replay',
      identifications: 0,
    });
  });

  it('retries if the kept response was purged meanwhile', async () => {
    const ledger = ledgerOf([replay('former'), { outcome: 'admitted' }]);
    expect(await admit(ledger)).toEqual({ outcome: 'placed', identifications: 0 });
    expect(ledger.asked()).toBe(2);
  });

  it('identifies a changed key again, and then finds its response', async () => {
    const ledger = ledgerOf([{ outcome: 'key_changed' }, replay('former')], ['former']);
    expect(await admit(ledger)).toEqual({ outcome: 'replay', identifications: 1 });
  });

  it('does not retry for ever', async () => {
    const ledger = ledgerOf(
      Array.from({ length: 10 }, () => replay('former')),
      [],
    );
    await expect(admit(ledger)).rejects.toMatchObject({ code: 'service_unavailable', retryAfterSeconds: 1 });
    expect(ledger.asked()).toBe(3);
  });

  it('is not decided while the response cannot be read from the database', async () => {
    const ledger = ledgerOf([replay('former')], []);
    ledger.readAnswer = () => Promise.reject(new Error('Connection terminated unexpectedly'));
    await expect(admit(ledger)).rejects.toMatchObject({ code: 'service_unavailable' });
  });

  it.each<[string, Error]>([
    ['does not answer', new LedgerUnavailableError('the ledger did not answer in time')],
    ['has no room on its disk', Object.assign(new Error('could not extend file'), { code: '53100' })],
  ])('may be asked for again if the database %s', async (_what, cause) => {
    const ledger = ledgerOf([]);
    ledger.admit = () => Promise.reject(cause);
    await expect(admit(ledger)).rejects.toMatchObject({ code: 'service_unavailable', cause });
  });

  it.each(['admit', 'readAnswer'] as const)(
    'rethrows an unexpected error of %s, without inviting a retry',
    async (call) => {
      const ledger = ledgerOf([replay('former')], []);
      const unexpected = Object.assign(new Error('column "answer" does not exist'), { code: '42703' });
      const broken = { ...ledger, [call]: () => Promise.reject(unexpected) };
      await expect(admit(broken)).rejects.toBe(unexpected);
    },
  );
});

describe('the count of a prompt', () => {
  const text = 'Hello '.repeat(100);
  /** 600 bytes or 100 tokens, 24 of the template, and 10 of the response, at a nano-dollar each. */
  const [BY_BYTES, BY_COUNT] = [634n, 134n];
  const noRoom = (availableNano: bigint): AdmissionResult => ({
    outcome: 'insufficient_funds',
    availableNano: toNanoUsd(availableNano),
  });

  it('is not made while the bound by its bytes fits', async () => {
    const [ledger, counter] = [ledgerOf([{ outcome: 'admitted' }]), counterOf(HUNDRED)];
    await admit(ledger, { counter, text });
    expect([ledger.amounts, counter.askedFor]).toEqual([[BY_BYTES], []]);
  });

  it.each<[string, AdmissionResult]>([
    ['the balance', noRoom(200n)],
    ['the daily cap', { outcome: 'daily_spend_cap', leftNano: toNanoUsd(200n) }],
    ['the allowance', { outcome: 'abandonment_at_risk', leftNano: toNanoUsd(200n) }],
    ["the key's month", { outcome: 'key_month_limit', leftNano: toNanoUsd(200n) }],
  ])('brings a smaller hold if %s has no room for its bytes', async (_name, refusal) => {
    const [ledger, counter] = [ledgerOf([refusal, { outcome: 'admitted' }]), counterOf(HUNDRED)];
    expect((await admit(ledger, { counter, text })).outcome).toBe('placed');
    expect([ledger.amounts, counter.askedFor]).toEqual([[BY_BYTES, BY_COUNT], ['account']]);
  });

  it('changes no other refusal', async () => {
    const [ledger, counter] = [ledgerOf([{ outcome: 'daily_request_cap' }]), counterOf(HUNDRED)];
    await expect(admit(ledger, { counter, text })).rejects.toMatchObject({ code: 'rate_limit_error' });
    expect(counter.askedFor).toEqual([]);
  });

  it('is made once: the second refusal is the response, with the amount that the counted prompt needs', async () => {
    const [ledger, counter] = [ledgerOf([noRoom(100n), noRoom(100n)]), counterOf(HUNDRED)];
    await expect(admit(ledger, { counter, text })).rejects.toMatchObject({
      code: 'insufficient_funds',
      publicMessage: expect.stringContaining('up to 0.000000134 USD') as unknown,
    });
    expect([ledger.asked(), counter.askedFor.length]).toEqual([2, 1]);
  });

  it('is not made if not even the fewest tokens would fit', async () => {
    const [ledger, counter] = [ledgerOf([noRoom(14n)]), counterOf(HUNDRED)];
    await expect(admit(ledger, { counter, text })).rejects.toMatchObject({ code: 'insufficient_funds' });
    expect(counter.askedFor).toEqual([]);
  });

  it('is not made if the catalogue names no tokenizer', async () => {
    const [ledger, counter] = [ledgerOf([noRoom(200n)]), counterOf(HUNDRED)];
    const asked = admit(ledger, { counter, text, model: 'uncountable' });
    await expect(asked).rejects.toMatchObject({ code: 'insufficient_funds' });
    expect(counter.askedFor).toEqual([]);
  });

  it('that fails leaves the refusal unchanged', async () => {
    const [ledger, counter] = [ledgerOf([noRoom(200n)]), counterOf({ least: 5, most: 600 })];
    await expect(admit(ledger, { counter, text })).rejects.toMatchObject({ code: 'insufficient_funds' });
    expect(ledger.asked()).toBe(1);
  });

  it('that is not finished in time uses its upper bound', async () => {
    const ledger = ledgerOf([noRoom(400n), { outcome: 'admitted' }]);
    await admit(ledger, { counter: counterOf({ least: 53, most: 350 }), text });
    expect(ledger.amounts).toEqual([BY_BYTES, 350n + 34n]);
  });

  it('may show that the prompt exceeds the context window, which is the response then', async () => {
    const counter = counterOf({ least: 1_001, most: 1_001 });
    const asked = admit(ledgerOf([noRoom(900n)]), { counter, text: 'x'.repeat(2_000) });
    await expect(asked).rejects.toMatchObject({ code: 'invalid_request_error', param: 'messages' });
  });
});
