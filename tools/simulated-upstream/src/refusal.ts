import { CANARY } from './canaries';
import type { Exchange } from './exchange';

export interface Refusal {
  status: number;
  message: string;
  type?: string;
  code?: string | null;
  param?: string | null;
}

/** An error body as OpenAI writes it. */
export function errorBody({ message, type, code, param }: Omit<Refusal, 'status'>): object {
  return {
    error: {
      message,
      type: type ?? 'invalid_request_error',
      param: param ?? null,
      code: code ?? null,
    },
  };
}

export function refuse(exchange: Exchange, refusal: Refusal, headers: Record<string, string> = {}): void {
  exchange.sendJson(refusal.status, errorBody(refusal), headers);
}

/** Statuses under which a real upstream says when to come back. */
const WITH_RETRY_AFTER = new Set([429, 503]);

/** A refusal whose every text would betray the upstream. 400 names a field of the request, 422 one of its own. */
export function refuseWithCanaries(exchange: Exchange, status: number): void {
  const params: Partial<Record<number, string>> = { 400: 'messages', 422: `${CANARY.errorName}_engine` };
  const refusal: Refusal = {
    status,
    message: `${CANARY.host} refuses ${CANARY.secretKey}-9 of ${CANARY.organization} (${String(status)}).`,
    type: `${CANARY.errorName}_error`,
    code: `${CANARY.errorName}_code`,
    param: params[status] ?? null,
  };
  refuse(exchange, refusal, WITH_RETRY_AFTER.has(status) ? { 'retry-after': '7' } : {});
}
