import { isReceiptNumber, type PaymentReceiptRecord, toListPage, toUnixSeconds } from '@farebox/api';
import { paymentReceiptOperations as operations } from '@farebox/api/operations';
import { toPublicId } from '@farebox/auth';
import type { PaymentReceipt } from '@farebox/billing';
import type { Brand } from '@farebox/config';
import { SECOND_MS } from '@farebox/flow';
import { toCentsUsd, toDecimalUsd } from '@farebox/money';
import type { UseCases } from '../use-cases/bind-use-cases';
import { paymentReceiptNotFound } from '../use-cases/payment-receipts';
import { toBuyerRecord } from './billing-details';
import { toPartyFacts } from './document-parties';
import { on, type Endpoint } from './endpoint';
import { replyAs } from './reply-as';
import type { ShownDocument } from './shown-documents';
import { shownAmount } from './shown-amount';

/** `/v1/billing/receipts`: each as JSON, as a page to print, or as a PDF. */
export function paymentReceiptEndpoints(receipts: UseCases['paymentReceipts'], brand: Brand): Endpoint[] {
  return [
    on(operations.listPaymentReceipts, async ({ accountId, filter: { limit, after } }) => {
      const found = await receipts.listOwnReceipts(accountId, { limit, afterNumber: after });
      return { body: toListPage(found.map(toRecord), limit, ({ number }) => number) };
    }),

    on(operations.getPaymentReceipt, async ({ accountId, params, wants }) => {
      const { receipt_number: number } = params;
      if (!isReceiptNumber(number)) throw paymentReceiptNotFound();
      const record = toRecord(await receipts.findOwnReceipt(accountId, number));
      return replyAs(wants, record, toShownReceipt(record, brand));
    }),
  ];
}

function toRecord(receipt: PaymentReceipt): PaymentReceiptRecord {
  return {
    object: 'payment_receipt',
    number: receipt.number,
    funding_id: toPublicId('fund', receipt.fundingId),
    transaction_id: toPublicId('txn', receipt.fundingId),
    method: receipt.method,
    amount: toDecimalUsd(receipt.amountNano),
    amount_rounded: toCentsUsd(receipt.amountNano),
    currency: 'usd',
    customer: toBuyerRecord({ name: receipt.accountName, email: receipt.accountEmail }, receipt.buyer),
    seller: receipt.seller,
    paid_at: toUnixSeconds(receipt.paidAt),
    issued_at: toUnixSeconds(receipt.issuedAt),
  };
}

const dayOf = (seconds: number): string => new Date(seconds * SECOND_MS).toISOString().slice(0, 10);

export function toShownReceipt(receipt: PaymentReceiptRecord, brand: Brand): ShownDocument {
  return {
    brand,
    title: `Receipt ${receipt.number}`,
    facts: [
      ...toPartyFacts(receipt.customer, receipt.seller, brand),
      ['Paid on', `${dayOf(receipt.paid_at)} (UTC)`],
      ['Paid by', receipt.method === 'card' ? 'Card' : 'Credited by the operator'],
      ['Transaction', receipt.transaction_id],
      ['Issued on', dayOf(receipt.issued_at)],
    ],
    columns: ['Item', 'Amount (USD)'],
    rows: [['Prepaid balance', shownAmount(receipt.amount)]],
    total: ['Paid', `${receipt.amount_rounded} USD`],
    notes: [
      'It is on the balance. Usage is on the invoices, which the balance pays.',
      ...(brand.supportEmail === undefined ? [] : [`Questions: ${brand.supportEmail}`]),
    ],
  };
}
