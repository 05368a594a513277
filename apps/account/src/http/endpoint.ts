import type { Actor } from '@farebox/accounts';
import type { BodyRoom, Route } from '@farebox/http';
import { parseBody, parseQuery } from '@farebox/api';
import { toRoute, type BodyOf, type Operation, type QueryOf } from '@farebox/api/operations';
import type { Request } from 'express';

/** Media types of responses. JSON is the default, and the form of every error. */
export type MediaType = 'application/json' | 'text/csv' | 'text/html' | 'application/pdf';

/** A request that passed the session guard. */
interface SessionRequest {
  sessionId: string;
  /** The account of the session, which owns everything that an endpoint reads or writes. */
  accountId: string;
  /** The device that the session is bound to. */
  deviceId: string | null;
  /** The caller, recorded as the author of every change. */
  actor: Actor;
  /** The database's clock when the session was looked up. */
  now: Date;
  params: Readonly<Record<string, unknown>>;
  query: Readonly<Record<string, unknown>>;
  /** Parsed JSON, not validated yet; `undefined` if the endpoint takes no body, or none was sent. */
  body: unknown;
  /** The media type of the endpoint that the client's `format` or `Accept` requests. */
  wants: MediaType;
}

/** A repeated header has all of its values. */
type Headers = Readonly<Record<string, string | readonly string[]>>;

interface JsonAnswer {
  status: number;
  body: unknown;
  /** In addition to those of every response. */
  headers?: Headers;
}

interface AnswerWith<Content> {
  status: number;
  document: {
    mediaType: MediaType;
    content: Content;
    /** The name under which a browser saves it; shown in the browser if undefined. */
    fileName?: string;
    /** Instead of the service's, for a page with other rules. */
    headers?: Readonly<Record<string, string>>;
  };
}

/** A response that is not JSON. */
export type DocumentAnswer = AnswerWith<string | Buffer>;
/** A document of any length: its pieces are sent as they are made. */
export type Download = AnswerWith<AsyncIterable<string>>;

/** A response without content, only headers. */
interface EmptyAnswer {
  status: 303;
  headers: Headers;
}

/** Sent in one write. */
export type WholeAnswer = JsonAnswer | DocumentAnswer | EmptyAnswer;
export type Answer = WholeAnswer | Download;

/** An endpoint that requires an account session. */
export interface Endpoint extends Route {
  method: 'GET' | 'POST' | 'PATCH' | 'DELETE';
  body: 'none' | 'optional' | 'required';
  /** Whether the account must be active. Default: true. */
  needsAccess?: boolean;
  /** Default: only JSON. */
  produces?: readonly MediaType[];
  handle(request: SessionRequest): Promise<Answer>;
}

/** A request with an account session or an API key. */
interface KeyRequest {
  /** The account of the session or key. */
  accountId: string;
  /** If set, only data of this key is visible; undefined with a session. */
  apiKeyId: string | undefined;
  params: Readonly<Record<string, unknown>>;
}

/** An endpoint that accepts an API key or a session. Read-only. */
export interface KeyEndpoint extends Route {
  method: 'GET';
  handle(request: KeyRequest): Promise<WholeAnswer>;
}

/** An endpoint without an account session. It reads its own headers and body. */
export interface OpenEndpoint extends Route {
  method: 'GET' | 'POST';
  handle(request: Request, room: BodyRoom): Promise<WholeAnswer>;
}

/** A request according to an operation's contract. */
type RequestOf<Row extends Operation> = Omit<SessionRequest, 'body'> & {
  /** Validated; `undefined` if the operation takes none. */
  body: BodyOf<Row>;
  filter: QueryOf<Row>;
};

/** The result of a handler; the status is the operation's. */
export type Reply = Omit<JsonAnswer, 'status'> | Omit<DocumentAnswer, 'status'> | Omit<Download, 'status'>;

/**
 * The endpoint of an operation: method, path, body, media types and status are the documented ones. Requests
 * that violate the contract do not reach the handler.
 */
export function on<Row extends Operation>(
  operation: Row,
  verb: (request: RequestOf<Row>) => Promise<Reply>,
): Endpoint {
  const { body, query, answers, needsAccess = true } = operation;
  const [answer] = answers;
  if (!answer) throw new Error(`${operation.id} says nothing of its answer`);
  return {
    ...toRoute(operation),
    needsAccess,
    body: body ? (body.isRequired ? 'required' : 'optional') : 'none',
    produces: answer.contents.map(({ mediaType }) => mediaType as MediaType),
    async handle(request) {
      const filter: unknown = query && parseQuery(query, request.query);
      const parsed = {
        ...request,
        body: body && parseBody(body.schema, request.body === undefined ? {} : request.body),
        filter,
        wants: formatIn(filter) ?? request.wants,
      };
      return { status: answer.status, ...(await verb(parsed as RequestOf<Row>)) };
    },
  };
}

/** The endpoint of an operation that also accepts an API key. */
export function onApiKey(
  operation: Operation & { method: 'GET'; takesApiKey: true },
  verb: (request: KeyRequest) => Promise<{ body: unknown }>,
): KeyEndpoint {
  return {
    ...toRoute(operation),
    handle: async (request) => ({ status: 200, ...(await verb(request)) }),
  };
}

const MEDIA_TYPES = new Map<unknown, MediaType>([
  ['json', 'application/json'],
  ['csv', 'text/csv'],
  ['html', 'text/html'],
  ['pdf', 'application/pdf'],
]);

/** The form named by the query parameter `format`; the contract defines those of an operation. */
function formatIn(filter: unknown): MediaType | undefined {
  const isGiven = typeof filter === 'object' && filter !== null && 'format' in filter;
  return isGiven ? MEDIA_TYPES.get(filter.format) : undefined;
}

/** The endpoint of an operation without a credential. */
export function onOpen(
  operation: Operation & { method: OpenEndpoint['method'] },
  handle: OpenEndpoint['handle'],
): OpenEndpoint {
  return { ...toRoute(operation), handle };
}
