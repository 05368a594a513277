import { parseQuery, toListPage } from '@farebox/api';
import { ledgerRootOperations as operations } from '@farebox/api/operations';
import { fromPublicId } from '@farebox/auth';
import { toPublishedProof, toPublishedRoot } from '@farebox/ledger';
import type { UseCases } from '../use-cases/bind-use-cases';
import { on, onOpen, type Endpoint, type OpenEndpoint } from './endpoint';

/** `/v1/billing/transactions/{transaction_id}/proof`. */
export function proofEndpoints(proofs: UseCases['proofs']): Endpoint[] {
  return [
    on(operations.getTransactionProof, async ({ accountId, params: { transaction_id: publicId } }) => {
      const entryId = typeof publicId === 'string' ? fromPublicId('txn', publicId) : undefined;
      return { body: toPublishedProof(await proofs.readOwnProof(accountId, entryId)) };
    }),
  ];
}

/** `/v1/ledger/roots`, for everybody. */
export function rootEndpoint(proofs: UseCases['proofs']): OpenEndpoint {
  return onOpen(operations.listLedgerRoots, async (req) => {
    const { limit, after } = parseQuery(operations.listLedgerRoots.query, req.query);
    const roots = await proofs.listPublicRoots({ limit, after });
    return { status: 200, body: toListPage(roots.map(toPublishedRoot), limit, ({ day }) => day) };
  });
}
