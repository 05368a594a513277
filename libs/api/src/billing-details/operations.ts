import { TOO_MANY_CHANGES } from '../api-keys/operations';
import { BUYER } from '../examples';
import { json, type Operation } from '../operation';
import { billingDetailsRecord, updateBillingDetailsBody } from './schema';

const ofSession = { services: ['account'], tag: 'Billing', credential: 'session' } as const;
const PATH = '/v1/billing/details';

const details = { object: 'billing_details', ...BUYER };

const getBillingDetails = {
  ...ofSession,
  id: 'getBillingDetails',
  method: 'GET',
  path: PATH,
  summary: 'Get the billing details',
  description:
    'The details of the account on invoices, receipts and credit notes, beside its name and e-mail address.',
  answers: [
    { status: 200, description: 'The details.', contents: [json(billingDetailsRecord, { details })] },
  ],
  errors: [],
} satisfies Operation;

const updateBillingDetails = {
  ...ofSession,
  id: 'updateBillingDetails',
  method: 'PATCH',
  path: PATH,
  summary: 'Change the billing details',
  description:
    'What is left out stays as it is; `null` removes it. They are on documents that are made from then on: one that exists ' +
    'never changes.',
  body: {
    schema: updateBillingDetailsBody,
    isRequired: true,
    examples: { a_company: BUYER, without_an_order: { purchase_order: null } },
  },
  answers: [
    {
      status: 200,
      description: 'The details after the change.',
      contents: [json(billingDetailsRecord, { details })],
    },
  ],
  errors: [
    { code: 'invalid_request_error', param: 'country' },
    {
      code: 'authentication_error',
      when: 'No session, or the session of a device: it cannot change the details.',
    },
    TOO_MANY_CHANGES,
  ],
} satisfies Operation;

export const billingDetailsOperations = { getBillingDetails, updateBillingDetails };
