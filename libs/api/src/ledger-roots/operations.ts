import { LEDGER_PROOF, onlyPage } from '../examples';
import { json, type Operation } from '../operation';
import { ledgerProof, ledgerRootList, listLedgerRootsQuery } from './schema';

const listLedgerRoots = {
  services: ['account'],
  id: 'listLedgerRoots',
  method: 'GET',
  path: '/v1/ledger/roots',
  tag: 'Billing',
  credential: 'none',
  summary: "List the ledger's roots",
  description:
    'One for each day that is over, newest first, for everybody. A root covers every entry of its day, and through ' +
    '`previous` all days before: who keeps a root, or a proof, can find out whether anything was changed later.',
  query: listLedgerRootsQuery,
  answers: [
    {
      status: 200,
      description: 'A page of the roots.',
      contents: [json(ledgerRootList, { one: onlyPage([LEDGER_PROOF.root], (root) => root.day) })],
    },
  ],
  errors: [{ code: 'invalid_request_error', param: 'after' }],
} satisfies Operation;

const getTransactionProof = {
  services: ['account'],
  id: 'getTransactionProof',
  method: 'GET',
  path: '/v1/billing/transactions/{transaction_id}/proof',
  tag: 'Billing',
  credential: 'session',
  summary: 'Get the proof of a transaction',
  description:
    "That the transaction is in the ledger as it stands here, by the root of its day. `npx @farebox/client check-proof` and the console's page `/verify` check it without the service.",
  answers: [
    {
      status: 200,
      description: 'The proof.',
      contents: [json(ledgerProof, { of_a_charge: LEDGER_PROOF })],
    },
  ],
  errors: [
    {
      code: 'invalid_request_error',
      status: 404,
      param: 'transaction_id',
      when: 'There is no such transaction of the account, or its day has no root yet. A day gets its root soon after it is over.',
    },
  ],
} satisfies Operation;

export const ledgerRootOperations = { listLedgerRoots, getTransactionProof };
