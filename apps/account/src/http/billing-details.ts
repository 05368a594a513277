import { type BillingDetails, requirePerson } from '@farebox/accounts';
import type { BillingDetailsRecord, BuyerRecord } from '@farebox/api';
import { billingDetailsOperations as operations } from '@farebox/api/operations';
import type { Buyer } from '@farebox/billing';
import type { UseCases } from '../use-cases/bind-use-cases';
import { type Endpoint, on } from './endpoint';

/** `/v1/billing/details`. */
export function billingDetailsEndpoints(details: UseCases['billingDetails']): Endpoint[] {
  return [
    on(operations.getBillingDetails, async ({ accountId }) => ({
      body: toRecord(await details.readBillingDetails(accountId)),
    })),

    on(operations.updateBillingDetails, async ({ accountId, deviceId, actor, body }) => {
      requirePerson(deviceId);
      const update = {
        legalName: body.legal_name,
        address: body.address,
        country: body.country,
        taxId: body.tax_id,
        purchaseOrder: body.purchase_order,
        billingEmail: body.billing_email,
      };
      return { body: toRecord(await details.updateBillingDetails(accountId, update, actor)) };
    }),
  ];
}

function toRecord(details: BillingDetails): BillingDetailsRecord {
  return {
    object: 'billing_details',
    legal_name: details.legalName,
    address: details.address,
    country: details.country,
    tax_id: details.taxId,
    purchase_order: details.purchaseOrder,
    billing_email: details.billingEmail,
  };
}

const NOTHING: Buyer = {
  legal_name: null,
  address: null,
  country: null,
  tax_id: null,
  purchase_order: null,
  billing_email: null,
};

/** The account on a document, with what it had given when that was made. */
export function toBuyerRecord(account: { name: string; email: string }, buyer: Buyer | null): BuyerRecord {
  return { ...account, ...(buyer ?? NOTHING) };
}
