import { toPublicId, uuidV7 } from '@farebox/auth';
import { applyCatalog, parseCatalog, readCatalog } from '@farebox/catalog';
import { openGatewayLedger, openReview, sweepAbandonedHolds, type GatewayLedger } from '@farebox/ledger';
import { toNanoUsd } from '@farebox/money';
import { givenAccount, givenApiKey, PATIENT_LEDGER } from '@farebox/testing';
import type { AdminHarness } from './admin-harness';

/** The hold of a request, and the cost of a charge that cannot be recorded. */
const HELD_NANO = 60n;
const MEASURED_NANO = 45n;
const OVER_HOLD_NANO = 65n;
/** Prices at which each token costs 2.5 nano-dollars. */
const PRICED = `
upstreams: [{ id: u, base_url: "http://127.0.0.1:9/v1" }]
models:
  - { id: small, routes: [{ upstream: u, model: m }], input_price: 0.0025, output_price: 0.0025, context_window: 9, max_output_tokens: 9 }`;
const PROMPT_TOKENS = 11;

export interface GivenReview {
  /** `rev_…`. */
  reviewId: string;
  /** `acct_…`. */
  accountId: string;
  /** `key_…`. */
  keyPublicId: string;
  requestId: string;
}

interface OpenHold {
  holdId: string;
  accountId: string;
}

/** Requests of failed gateways, made by the ledger itself. */
export interface ReviewsHarness {
  /** An active account, by default with 100 nano-dollars. Returns its UUID. */
  givenAccount(balanceNano?: bigint): Promise<string>;
  givenChargeFailed(streamed: boolean, accountId?: string): Promise<GivenReview>;
  givenGatewayLost(): Promise<GivenReview>;
  givenUsageOverHold(): Promise<GivenReview>;
}

export function createReviewsHarness({ pool, environment }: AdminHarness): ReviewsHarness {
  const databaseUrl = environment['DATABASE_URL'] ?? '';

  const newAccount = (balanceNano = 100n): Promise<string> => givenAccount(pool, { balanceNano });

  let priceVersionId: Promise<string> | undefined;
  async function givenPrice(): Promise<string> {
    await applyCatalog(pool, parseCatalog(PRICED, {}));
    return (await readCatalog(pool)).models.get('small')?.price.id ?? '';
  }

  /** Holds money for a request, and lets `go` fail as it wants before its gateway ends. */
  async function givenRequest(
    accountId: string,
    go: (ledger: GatewayLedger, hold: OpenHold) => Promise<unknown>,
  ): Promise<GivenReview> {
    const ledger = await openGatewayLedger({
      ...PATIENT_LEDGER,
      databaseUrl,
      pool,
      onLeaseError: () => undefined,
    });
    const apiKeyId = await givenApiKey(pool, accountId);
    priceVersionId ??= givenPrice();
    const ids = { holdId: uuidV7(), accountId, apiKeyId, priceVersionId: await priceVersionId };
    const requestId = toPublicId('req', uuidV7());
    try {
      const request = { ...ids, apiKeyVersion: 1, cohortName: 'beta', modelId: 'small', requestId };
      expect(await ledger.admit({ ...request, amountNano: toNanoUsd(HELD_NANO), mostTokens: 30 })).toEqual({
        outcome: 'admitted',
      });
      await go(ledger, ids);
    } finally {
      await ledger.close();
    }
    return {
      reviewId: toPublicId('rev', ids.holdId),
      accountId: toPublicId('acct', accountId),
      keyPublicId: toPublicId('key', apiKeyId),
      requestId,
    };
  }

  return {
    givenAccount: newAccount,
    async givenChargeFailed(streamed, accountId) {
      return givenRequest(accountId ?? (await newAccount()), (_, hold) =>
        openReview(pool, { ...hold, usage: usageOf(MEASURED_NANO, streamed) }),
      );
    },
    async givenGatewayLost() {
      const review = await givenRequest(await newAccount(), () => Promise.resolve());
      expect(await sweepAbandonedHolds(pool)).toBe(1);
      return review;
    },
    async givenUsageOverHold() {
      return givenRequest(await newAccount(), (ledger, hold) =>
        ledger.settle({ ...hold, usage: usageOf(OVER_HOLD_NANO, true) }),
      );
    },
  };
}

function usageOf(measuredCostNano: bigint, streamed: boolean) {
  return {
    measuredCostNano: toNanoUsd(measuredCostNano),
    promptTokens: PROMPT_TOKENS,
    completionTokens: Number((measuredCostNano * 10n) / 25n) - PROMPT_TOKENS,
    outcome: 'completed',
    streamed,
    estimated: false,
    latencyMs: 20,
  } as const;
}
