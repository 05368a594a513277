import type { Route } from '@farebox/http';

/** A request that the session guard has let through. */
export interface SessionRequest {
  /** The account of the session. What an endpoint reads or writes belongs to it. */
  accountId: string;
  /** The database's clock when the session was looked up. */
  now: Date;
  params: Readonly<Record<string, unknown>>;
  query: Readonly<Record<string, unknown>>;
  /** Parsed JSON, not looked at yet; `undefined` where the endpoint takes no body, or none was sent. */
  body: unknown;
}

export interface Answer {
  status: number;
  body: unknown;
}

/** One row of the service's table of endpoints. All of them take an account session. */
export interface Endpoint extends Route {
  method: 'GET' | 'POST' | 'DELETE';
  body: 'none' | 'optional' | 'required';
  handle(request: SessionRequest): Promise<Answer>;
}
