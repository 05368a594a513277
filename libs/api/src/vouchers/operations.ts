import { fundingRecord } from '../billing/schema';
import { FUNDING_ID, NOON, TOP_UP_ID } from '../examples';
import { json, type Operation } from '../operation';
import { redeemVoucherBody } from './schema';

const redeemVoucher = {
  services: ['account'],
  tag: 'Billing',
  credential: 'session',
  id: 'redeemVoucher',
  method: 'POST',
  path: '/v1/billing/vouchers',
  summary: 'Redeem a voucher',
  description:
    'Its amount is on the balance when this returns. A code is worth its amount once: the account that has redeemed it gets ' +
    'the same response again.',
  body: {
    schema: redeemVoucherBody,
    isRequired: true,
    examples: { a_code: { code: 'K7QM-2XRT-9ABC-DEFG-HJKM' } },
  },
  answers: [
    {
      status: 200,
      description: 'The top-up that the voucher has made. It has no receipt, since nothing was paid.',
      contents: [
        json(fundingRecord, {
          redeemed: {
            object: 'funding',
            id: FUNDING_ID,
            method: 'voucher',
            amount: '10.000000000',
            currency: 'usd',
            transaction_id: TOP_UP_ID,
            receipt_number: null,
            created_at: NOON,
          },
        }),
      ],
    },
  ],
  errors: [
    {
      code: 'invalid_request_error',
      param: 'code',
      when:
        'No voucher can be redeemed with this code: it is mistyped, has expired, was withdrawn, or was redeemed by another ' +
        'account. Or the account has redeemed as many vouchers of this kind as it may.',
    },
    { code: 'rate_limit_error', when: 'The account, or its network, has tried too many codes.' },
  ],
} satisfies Operation;

export const voucherOperations = { redeemVoucher };
