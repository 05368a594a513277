import type { IncomingHttpHeaders } from 'node:http';
import type { Customer } from '../breakable/customers';
import { ask, createAgent } from '../clients/ask';
import type { Attempt } from '../clients/attempt';
import type { ChatRequest } from '../clients/chat-request';

/** A request under way. */
export interface SentRequest {
  /** Says `silent` until it has ended. */
  attempt: Attempt;
  /** Once its headers have come. */
  headers: IncomingHttpHeaders | undefined;
  ended: Promise<Attempt['told']>;
}

export interface Sending extends Partial<ChatRequest> {
  /** By its number. Default: the first one. */
  gateway?: number;
  /** Default: the first one. */
  customer?: Customer;
}

/** All requests that a test has sent, so that each of them can be accounted for. */
export interface SentRequests {
  readonly all: readonly SentRequest[];
  /** Sends a request. One that has a name already is that request once more. Default: an answer in one piece, at once. */
  send(sending: Sending): SentRequest;
  close(): Promise<void>;
}

interface Target {
  gateways: readonly { url: string }[];
  customers: readonly Customer[];
}

export function createSentRequests({ gateways, customers }: Target): SentRequests {
  const agent = createAgent();
  const all: SentRequest[] = [];
  return {
    all,
    send({ gateway = 0, customer = customers[0], ...what }) {
      const requestId = `request-${String(all.length)}`;
      const request: ChatRequest = {
        ...{ name: requestId, model: 'at-once', streamed: false, wantsUsage: true },
        ...{ idempotencyKey: undefined, hangUp: undefined },
        ...what,
      };
      const attempt: Attempt = {
        ...{ requestId, request, gateway, startedAtMs: Date.now(), endedAtMs: Infinity },
        told: { kind: 'silent' },
      };
      const asking = {
        ...{ gatewayUrl: gateways[gateway]?.url ?? '', apiKey: customer?.apiKey ?? '', requestId, request },
        mayHangUp: true,
        onHeaders(headers: IncomingHttpHeaders) {
          sent.headers = headers;
        },
      };
      const sent: SentRequest = {
        attempt,
        headers: undefined,
        ended: ask(agent, asking).then((told) => {
          attempt.endedAtMs = Date.now();
          attempt.told = told;
          return told;
        }),
      };
      all.push(sent);
      return sent;
    },
    close: () => agent.destroy(),
  };
}
