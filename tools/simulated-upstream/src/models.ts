import { CREATED } from './answer';
import { SIMULATED_MODELS } from './behaviours';
import { CANARY } from './canaries';
import type { Exchange } from './exchange';

/** `GET /v1/models`. */
export function handleModels(exchange: Exchange): void {
  const data = SIMULATED_MODELS.map((id) => ({
    id,
    object: 'model',
    created: CREATED,
    owned_by: CANARY.owner,
  }));
  exchange.sendJson(200, { object: 'list', data });
}
