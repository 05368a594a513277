import {
  listFundingQuery,
  parseQuery,
  toListPage,
  type FundingList,
  type FundingMethod,
} from '@farebox/contracts';
import type { PrismaClient } from '@farebox/database';
import { toDecimalUsd } from '@farebox/money';
import type { Pool } from 'pg';
import { listOwnFundings } from '../../../use-cases/billing/list-fundings';
import type { TopUpBounds } from '../../../use-cases/billing/start-checkout';
import type { Endpoint } from '../../endpoint';
import { toFundingRecord } from './funding-wire';

/** `GET /v1/billing/funding`: the account's top-ups, newest first, and the ways to add funds that are switched on. */
export function listFundingEndpoint(
  clients: { pool: Pool; prisma: PrismaClient },
  card: { bounds: TopUpBounds } | undefined,
): Endpoint {
  const methods: FundingMethod[] = [{ type: 'manual' }, ...(card ? [toCardMethod(card.bounds)] : [])];
  return {
    method: 'GET',
    path: '/v1/billing/funding',
    body: 'none',
    async handle({ accountId, query }) {
      const { limit, after } = parseQuery(listFundingQuery, query);
      const fundings = await listOwnFundings(accountId, clients, { limit, afterId: after });
      const page = toListPage(fundings.map(toFundingRecord), limit, (record) => record.id);
      const body: FundingList = { ...page, methods };
      return { status: 200, body };
    },
  };
}

function toCardMethod({ minNano, maxNano }: TopUpBounds): FundingMethod {
  return {
    type: 'card',
    min_amount: toDecimalUsd(minNano),
    max_amount: toDecimalUsd(maxNano),
    currency: 'usd',
  };
}
