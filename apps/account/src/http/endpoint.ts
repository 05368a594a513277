import type { Actor } from '@farebox/accounts';
import type { BodyRoom, Route } from '@farebox/http';
import { parseBody, parseQuery } from '@farebox/api';
import { toRoute, type BodyOf, type Operation, type QueryOf } from '@farebox/api/operations';
import type { Request } from 'express';

/** What an endpoint can answer with. JSON is the default, and the form of every error. */
export type MediaType = 'application/json' | 'text/csv' | 'text/html' | 'application/pdf';

/** A request that the session guard has let through. */
interface SessionRequest {
  sessionId: string;
  /** The account of the session. What an endpoint reads or writes belongs to it. */
  accountId: string;
  /** The device that the session is bound to. */
  deviceId: string | null;
  /** Who asks: what they make, change or end is noted as theirs. */
  actor: Actor;
  /** The database's clock when the session was looked up. */
  now: Date;
  params: Readonly<Record<string, unknown>>;
  query: Readonly<Record<string, unknown>>;
  /** Parsed JSON, not looked at yet; `undefined` if the endpoint takes no body, or none was sent. */
  body: unknown;
  /** Of what the endpoint produces, what the client's `format` or `Accept` asks for. */
  wants: MediaType;
}

/** A header that comes more than once has each of its values. */
type Headers = Readonly<Record<string, string | readonly string[]>>;

interface JsonAnswer {
  status: number;
  body: unknown;
  /** In addition to those of every response. */
  headers?: Headers;
}

/** A response that is not JSON. */
export interface DocumentAnswer {
  status: number;
  document: {
    mediaType: MediaType;
    content: string | Buffer;
    /** Under which a browser saves it; shown in the page if there is none. */
    fileName?: string;
    /** In place of the service's, for a page that needs other rules. */
    headers?: Readonly<Record<string, string>>;
  };
}

/** A response without a content: all that it says is in its headers. */
interface EmptyAnswer {
  status: 303;
  headers: Headers;
}

export type Answer = JsonAnswer | DocumentAnswer | EmptyAnswer;

/** An endpoint that takes an account session. */
export interface Endpoint extends Route {
  method: 'GET' | 'POST' | 'PATCH' | 'DELETE';
  body: 'none' | 'optional' | 'required';
  /** Whether the account must be active, which is so unless it is said. */
  needsAccess?: boolean;
  /** JSON alone if it is not said. */
  produces?: readonly MediaType[];
  handle(request: SessionRequest): Promise<Answer>;
}

/** A request with an account session or with an API key. */
interface KeyRequest {
  /** Of the session, or of the key. */
  accountId: string;
  /** With a key, what was made with it is all that is seen; undefined with a session. */
  apiKeyId: string | undefined;
  params: Readonly<Record<string, unknown>>;
}

/** An endpoint that takes an API key as well as a session. It reads only. */
export interface KeyEndpoint extends Route {
  method: 'GET';
  handle(request: KeyRequest): Promise<Answer>;
}

/** An endpoint that takes no account session. Each of them reads its own headers and body. */
export interface OpenEndpoint extends Route {
  method: 'GET' | 'POST';
  handle(request: Request, room: BodyRoom): Promise<Answer>;
}

/** A request as an operation's contract has it. */
type RequestOf<Row extends Operation> = Omit<SessionRequest, 'body'> & {
  /** After the contract; `undefined` if the operation takes none. */
  body: BodyOf<Row>;
  filter: QueryOf<Row>;
};

/** What a verb answers; its status is the operation's. */
export type Reply = Omit<JsonAnswer, 'status'> | Omit<DocumentAnswer, 'status'>;

/**
 * The endpoint of an operation: method, path, body, media types and status are those that are documented. What the
 * contract refuses does not reach the verb.
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

/** The endpoint of an operation that takes an API key as well. */
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

/** The form that the query parameter `format` names: those that an operation has are in its contract. */
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
