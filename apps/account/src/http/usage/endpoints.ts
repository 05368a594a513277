import type { UsageClients } from '../../use-cases/usage/require-known-filter';
import type { Endpoint } from '../endpoint';
import { byApiKeyEndpoint } from './by-api-key';
import { byModelEndpoint } from './by-model';
import { listEndpoint } from './list';
import { summaryEndpoint } from './summary';

export function usageEndpoints(clients: UsageClients): Endpoint[] {
  return [
    listEndpoint(clients),
    summaryEndpoint(clients),
    byModelEndpoint(clients),
    byApiKeyEndpoint(clients),
  ];
}
