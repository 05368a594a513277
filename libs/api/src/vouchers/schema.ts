import { z } from 'zod';

const LONGEST_CODE = 100;

/** `POST /v1/billing/vouchers`. */
export const redeemVoucherBody = z.strictObject({
  code: z
    .string('must be the code of a voucher, like K7QM-2XRT-9ABC-DEFG-HJKM')
    .max(LONGEST_CODE, `must have at most ${String(LONGEST_CODE)} characters`)
    .describe('In any case, with or without its hyphens.'),
});
