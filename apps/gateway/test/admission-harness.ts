import type { Model, TokenCount } from '@farebox/catalog';
import { createAnswerCipher, type AdmissionResult, type GatewayLedger } from '@farebox/ledger';
import { toPicoUsd } from '@farebox/money';
import { createLogger } from '@farebox/observability';
import type { Caller } from '../src/identity/api-keys';
import { NO_WORDS } from '../src/tokens/single-token-words';
import type { TokenCounter } from '../src/tokens/token-counter';
import type { AdmissionDeps } from '../src/paid/admit-request';
import { toKeptBytes } from '../src/paid/kept-answers';
import { noRoomErrorBy } from '../src/paid/no-room';
import { givenModel } from './fake-completion';

export const model: Model = {
  ...givenModel,
  tokenizer: 'o200k_base',
  price: { id: 'price', inputPricePico: toPicoUsd(1_000n), outputPricePico: toPicoUsd(1_000n) },
};

export const caller: Caller = {
  apiKeyId: 'key',
  accountId: 'account',
  version: 1,
  status: 'active',
  expiresAt: null,
  inviteStatus: 'active',
  cohortName: 'default',
  modelPolicy: null,
  allowedOrigins: null,
  showsAccountLimits: true,
};

export const catalog = {
  current: {
    snapshot: {
      version: 1,
      upstreams: new Map(),
      models: new Map(
        [model, { ...model, id: 'uncountable', tokenizer: undefined }].map((one) => [one.id, one]),
      ),
    },
    clients: new Map(),
  },
  close: () => Promise.resolve(),
};

const answers = createAnswerCipher([{ version: 1, secret: Buffer.alloc(32) }]);
const whole = { kind: 'whole' as const, body: '{}' };

/** A ledger that returns these results in order, and the given result for a hold with this id. */
export function ledgerOf(
  results: AdmissionResult[],
  kept: string[] = [],
): GatewayLedger & { asked: () => number; amounts: bigint[] } {
  let asked = 0;
  const amounts: bigint[] = [];
  return {
    asked: () => asked,
    amounts,
    admit: ({ amountNano }) => {
      amounts.push(amountNano);
      return Promise.resolve(results[asked++] ?? { outcome: 'lease_lapsed' });
    },
    holdDurable: () => undefined,
    onHoldLost: () => undefined,
    onAccountBarred: () => undefined,
    settle: () => Promise.resolve('resolved'),
    readAnswer: ({ holdId }) =>
      Promise.resolve(
        kept.includes(holdId)
          ? { kind: 'whole', bytes: answers.encrypt(toKeptBytes(whole), holdId) }
          : undefined,
      ),
    stageAnswer: () => Promise.resolve(true),
    refund: () => Promise.resolve(true),
    countUnpaid: () => Promise.resolve(true),
    isConnected: true,
    stopWaiting: () => undefined,
    close: () => Promise.resolve(),
  };
}

/** A counter with a fixed result, which records the accounts it counted for. */
export function counterOf(count: TokenCount): TokenCounter & { askedFor: string[] } {
  const askedFor: string[] = [];
  return {
    askedFor,
    countFree: (_texts, { accountId }) => {
      askedFor.push(accountId);
      return Promise.resolve(count);
    },
    countPaid: () => Promise.resolve(count.least),
    wordsOf: () => NO_WORDS,
    prepare: () => undefined,
    close: () => Promise.resolve(),
  };
}

/** Dependencies of an admission: this ledger, this counter, and otherwise fakes. */
export function admissionDeps(ledger: GatewayLedger, counter: TokenCounter): AdmissionDeps {
  return {
    ledger,
    answers,
    keptBytesPerAnswer: 1_000_000,
    charges: { recorded: () => undefined, unrecorded: () => undefined, abandoned: () => undefined },
    log: createLogger({ service: 'gateway', level: 'silent' }),
    now: () => 0,
    catalog,
    counter,
    noRoomError: noRoomErrorBy(() => Promise.resolve(undefined)),
  };
}
