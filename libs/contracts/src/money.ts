import { fromDecimalUsd, type NanoUsd } from '@farebox/money';
import { z } from 'zod';

/** Money on the wire: dollars with nine decimal places, `"0.000010500"`. */
export const usdAmount = z
  .string()
  .regex(/^-?\d{1,10}\.\d{9}$/)
  .describe('US dollars, with nine decimal places.');

/** The currency of every amount. */
export const currency = z.literal('usd');

const AMOUNT_MESSAGE =
  'must be an amount in dollars above zero, written as a string with at most nine decimal places, like "5.00"';

/** What the OpenAPI document says of an amount; the reading itself is stricter, and has the better words. */
const WIRE_FORM = {
  pattern: '^\\d{1,10}(\\.\\d{1,9})?$',
  description: 'Dollars above zero, with at most nine decimal places.',
};

/** An amount above zero that a client sends, read into nano-dollars. A JSON number is refused: it may be rounded. */
export function positiveUsdAmount() {
  return z
    .string(AMOUNT_MESSAGE)
    .meta(WIRE_FORM)
    .transform((text, context): NanoUsd => {
      const amountNano = readAmount(text);
      if (amountNano !== undefined && amountNano > 0n) return amountNano;
      context.addIssue({ code: 'custom', message: AMOUNT_MESSAGE });
      return z.NEVER;
    });
}

function readAmount(text: string): NanoUsd | undefined {
  try {
    return fromDecimalUsd(text);
  } catch {
    return undefined;
  }
}
