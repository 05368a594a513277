import { costOf, readPrices, type Price, type PricedVersion } from '@farebox/catalog';
import type { ChargedUsage } from '@farebox/ledger';
import { toNanoUsd, ZERO_NANO, type NanoUsd } from '@farebox/money';
import type { Pool } from 'pg';

/** The amount that a group of requests paid, and would pay at other prices. */
export interface Rehearsed {
  requests: number;
  chargedNano: NanoUsd;
  wouldPayNano: NanoUsd;
}

export type RehearsalGroup = 'account' | 'model';

/** The price versions that requests were charged at, read once each. */
export class KnownPrices {
  readonly #db: Pick<Pool, 'query'>;
  readonly #versions = new Map<string, PricedVersion | undefined>();

  constructor(db: Pick<Pool, 'query'>) {
    this.#db = db;
  }

  async know(usage: readonly ChargedUsage[]): Promise<void> {
    const ids = [...new Set(usage.map(({ priceVersionId }) => priceVersionId))];
    const unknown = ids.filter((id) => !this.#versions.has(id));
    if (unknown.length === 0) return;
    const found = await readPrices(this.#db, unknown);
    for (const id of unknown) this.#versions.set(id, found.get(id));
  }

  /** The cost of a request's tokens before anything was waived. Undefined if its version is unknown. */
  costOf({ priceVersionId, tokens }: ChargedUsage): NanoUsd | undefined {
    return this.#versions.get(priceVersionId)?.costOf(tokens);
  }
}

/**
 * Returns the charge of a request at another price. A charge never exceeds its hold: what was waived for that reason is
 * waived again. The same price gives exactly what was charged.
 */
export function priceAgain(price: Price, usage: ChargedUsage, formerCost: NanoUsd | undefined): NanoUsd {
  const waived = formerCost === undefined ? 0n : formerCost - usage.costNano;
  const wouldPay = costOf(price, usage.tokens) - (waived > 0n ? waived : 0n);
  return wouldPay > 0n ? toNanoUsd(wouldPay) : ZERO_NANO;
}

/** The sums of a rehearsal: as many as there are accounts or models, however many requests. */
export class Rehearsal {
  readonly groups = new Map<string, Rehearsed>();
  /** Requests of models that the other prices do not have, by model. */
  readonly unknownModels = new Map<string, Pick<Rehearsed, 'requests' | 'chargedNano'>>();
  refundedRequests = 0;
  readonly #by: RehearsalGroup;
  readonly #prices: ReadonlyMap<string, Price>;

  constructor(by: RehearsalGroup, prices: ReadonlyMap<string, Price>) {
    this.#by = by;
    this.#prices = prices;
  }

  /** A refunded request pays nothing at any price. */
  add(usage: ChargedUsage, formerCost: NanoUsd | undefined): void {
    const { accountId, modelId, costNano, isRefunded } = usage;
    const price = this.#prices.get(modelId);
    if (isRefunded) this.refundedRequests++;
    else if (!price) {
      const { requests, chargedNano } = this.unknownModels.get(modelId) ?? NOTHING;
      this.unknownModels.set(modelId, {
        requests: requests + 1,
        chargedNano: toNanoUsd(chargedNano + costNano),
      });
    } else {
      const group = this.#by === 'account' ? accountId : modelId;
      const wouldPayNano = priceAgain(price, usage, formerCost);
      this.groups.set(
        group,
        plus(this.groups.get(group), { requests: 1, chargedNano: costNano, wouldPayNano }),
      );
    }
  }

  totals(): Rehearsed {
    return [...this.groups.values()].reduce(plus, NOTHING);
  }
}

const NOTHING: Rehearsed = { requests: 0, chargedNano: ZERO_NANO, wouldPayNano: ZERO_NANO };

function plus(sum: Rehearsed = NOTHING, one: Rehearsed): Rehearsed {
  return {
    requests: sum.requests + one.requests,
    chargedNano: toNanoUsd(sum.chargedNano + one.chargedNano),
    wouldPayNano: toNanoUsd(sum.wouldPayNano + one.wouldPayNano),
  };
}
