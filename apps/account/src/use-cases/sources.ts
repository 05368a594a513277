import type { Accounts } from '@farebox/accounts';
import type { Pool } from 'pg';
import type { ReadCatalog } from './offered-models';

/** The data sources of use cases. */
export interface Sources {
  pool: Pool;
  accounts: Accounts;
  readCatalog: ReadCatalog;
}
