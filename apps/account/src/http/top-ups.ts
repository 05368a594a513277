import { requirePerson } from '@farebox/accounts';
import { toUnixSeconds, type AutomaticTopUpRecord, type CardSetupRecord } from '@farebox/api';
import { topUpOperations as operations } from '@farebox/api/operations';
import type { AutomaticTopUp, TopUpAttempt } from '@farebox/billing';
import type { Brand } from '@farebox/config';
import { toDecimalUsd, type NanoUsd } from '@farebox/money';
import type { UseCases } from '../use-cases/bind-use-cases';
import { on, type Endpoint } from './endpoint';

/** `/v1/billing/automatic-top-up` and `/v1/billing/card`. They require card payments to be configured. */
export function topUpEndpoints({ card }: Pick<UseCases, 'card'>, brand: Brand): Endpoint[] {
  if (!card) return [];
  const consentText = consentTextOf(brand);
  const read = async (accountId: string) => ({
    body: toRecord(await card.readOwnTopUp(accountId), consentText),
  });
  return [
    on(operations.getAutomaticTopUp, ({ accountId }) => read(accountId)),

    on(operations.enableAutomaticTopUp, async ({ accountId, deviceId, actor, body }) => {
      requirePerson(deviceId);
      const { threshold: thresholdNano, amount: amountNano, monthly_ceiling: monthlyCeilingNano } = body;
      const order = { thresholdNano, amountNano, monthlyCeilingNano, consentText };
      await card.orderTopUps(accountId, order, actor);
      return read(accountId);
    }),

    on(operations.disableAutomaticTopUp, async ({ accountId, deviceId, actor }) => {
      requirePerson(deviceId);
      await card.endOwnTopUps(accountId, actor);
      return read(accountId);
    }),

    on(operations.createCardSetup, async ({ accountId, deviceId, now }) => {
      requirePerson(deviceId);
      const { url, expiresAt } = await card.startCardSetup(accountId, now);
      const body: CardSetupRecord = { object: 'card_setup', url, expires_at: toUnixSeconds(expiresAt) };
      return { body };
    }),

    on(operations.removeCard, async ({ accountId, deviceId, actor }) => {
      requirePerson(deviceId);
      await card.removeOwnCard(accountId, actor);
      return read(accountId);
    }),
  ];
}

/** Card networks require it to name the seller, the times, the amounts and the way to end it. */
function consentTextOf({ name }: Brand): string {
  return (
    `I allow ${name} to charge my saved card the amount that I set, without asking me each time, whenever my available ` +
    'balance is below the threshold, and no more than the monthly ceiling in a calendar month (UTC). I can switch this ' +
    'off, or remove the card, at any time.'
  );
}

function toRecord(
  { order, offReason, offAt, monthNano, card, lastAttempt }: AutomaticTopUp,
  consentText: string,
): AutomaticTopUpRecord {
  return {
    object: 'automatic_top_up',
    enabled: order?.isOn ?? false,
    threshold: toAmount(order?.thresholdNano),
    amount: toAmount(order?.amountNano),
    monthly_ceiling: toAmount(order?.monthlyCeilingNano),
    charged_this_month: toDecimalUsd(monthNano),
    ceiling_reached: order !== undefined && monthNano + order.amountNano > order.monthlyCeilingNano,
    currency: 'usd',
    off_reason: offReason,
    off_at: offAt && toUnixSeconds(offAt),
    consent_text: consentText,
    card: card
      ? {
          brand: card.brand,
          last_four: card.lastFour,
          expiry_month: card.expiryMonth,
          expiry_year: card.expiryYear,
        }
      : null,
    last_attempt: lastAttempt ? toAttempt(lastAttempt) : null,
  };
}

const STATUS_OF = {
  created: 'processing',
  requested: 'processing',
  unknown: 'processing',
  succeeded: 'succeeded',
  failed: 'failed',
} as const;

function toAttempt({ state, amountNano, failure, createdAt }: TopUpAttempt) {
  return {
    status: STATUS_OF[state],
    amount: toDecimalUsd(amountNano),
    failure,
    created_at: toUnixSeconds(createdAt),
  };
}

function toAmount(amountNano: NanoUsd | undefined): string | null {
  return amountNano === undefined ? null : toDecimalUsd(amountNano);
}
