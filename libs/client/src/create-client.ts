import createClient, { type Client } from 'openapi-fetch';
import { toError } from './farebox-error';
import type { paths } from './generated/api';

export type FareboxClient = Client<paths>;

/** At most one credential: in a browser, a page of the service itself has the session in its cookie. */
export type FareboxClientOptions = {
  /** Origin of the service, without `/v1`: `https://inference.example`. */
  baseUrl: string;
  /** Replaces the global `fetch`. */
  fetch?: (request: Request) => Promise<Response>;
} & (
  | { /** `ak-…`: for traffic endpoints. */ apiKey: string; session?: never }
  | { /** `st-…`: for everything else. */ session: string; apiKey?: never }
  | { apiKey?: never; session?: never }
);

/** A client whose paths, parameters, bodies and responses are typed by the OpenAPI document. */
export function createFareboxClient({
  baseUrl,
  fetch,
  apiKey,
  session,
}: FareboxClientOptions): FareboxClient {
  const token = apiKey ?? session;
  return createClient<paths>({
    baseUrl,
    ...(fetch ? { fetch } : {}),
    ...(token === undefined ? {} : { headers: { authorization: `Bearer ${token}` } }),
  });
}

/** The response to a call, in openapi-fetch's form. */
type Answered<Data> = { response: Response } & (
  { data: Data; error?: never } | { data?: never; error: unknown }
);

/**
 * Without `exactOptionalPropertyTypes`, which few projects set, TypeScript adds undefined to optional
 * properties.
 */
type Present<Data> = [Data] extends [undefined] ? undefined : Exclude<Data, undefined>;

/**
 * The body of a success. Throws `FareboxError` for a refusal, and `UnexpectedAnswerError` for any other
 * response.
 */
export async function unwrap<Data>(answer: Promise<Answered<Data>>): Promise<Present<Data>> {
  const answered = await answer;
  if (!answered.response.ok) throw toError(answered.error, answered.response);
  // 204 has no body, and no data.
  return answered.data as Present<Data>;
}
