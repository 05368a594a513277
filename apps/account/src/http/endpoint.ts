import type { Route } from '@farebox/http';

/** What an endpoint can answer with. JSON is the default, and the form of every error. */
export type MediaType = 'application/json' | 'text/csv' | 'text/html' | 'application/pdf';

/** A request that the session guard has let through. */
export interface SessionRequest {
  sessionId: string;
  /** The account of the session. What an endpoint reads or writes belongs to it. */
  accountId: string;
  /** The device that the session is bound to. */
  deviceId: string | null;
  /** The database's clock when the session was looked up. */
  now: Date;
  params: Readonly<Record<string, unknown>>;
  query: Readonly<Record<string, unknown>>;
  /** Parsed JSON, not looked at yet; `undefined` where the endpoint takes no body, or none was sent. */
  body: unknown;
  /** Of what the endpoint produces, what the client's `Accept` asks for. */
  wants: MediaType;
}

export interface JsonAnswer {
  status: number;
  body: unknown;
  /** In addition to those of every answer. */
  headers?: Readonly<Record<string, string>>;
}

/** An answer that is not JSON. */
export interface DocumentAnswer {
  status: number;
  document: {
    mediaType: MediaType;
    content: string | Buffer;
    /** Under which a browser saves it; shown in the page where there is none. */
    fileName?: string;
    /** In place of the service's, for a page that needs other rules. */
    headers?: Readonly<Record<string, string>>;
  };
}

export type Answer = JsonAnswer | DocumentAnswer;

/** One row of the service's table of endpoints. All of them take an account session. */
export interface Endpoint extends Route {
  method: 'GET' | 'POST' | 'PATCH' | 'DELETE';
  body: 'none' | 'optional' | 'required';
  /** JSON alone where it is not said. */
  produces?: readonly MediaType[];
  handle(request: SessionRequest): Promise<Answer>;
}
