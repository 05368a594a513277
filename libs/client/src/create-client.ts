import createClient, { type Client } from 'openapi-fetch';
import { toError } from './farebox-error';
import type { paths } from './generated/api';

export type FareboxClient = Client<paths>;

/** One credential at most: in a browser, a page of the service itself has the session in its cookie. */
export type FareboxClientOptions = {
  /** Where the service answers, without `/v1`: `https://inference.example`. */
  baseUrl: string;
  /** In place of the global `fetch`. */
  fetch?: (request: Request) => Promise<Response>;
} & (
  | { /** `ak-…`: for the traffic. */ apiKey: string; session?: never }
  | { /** `st-…`: for everything else. */ session: string; apiKey?: never }
  | { apiKey?: never; session?: never }
);

/** A client whose paths, parameters, bodies and answers are typed by the OpenAPI document. */
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

/** The answer to a call of the client: openapi-fetch's own form. */
type Answered<Data> = { response: Response } & (
  { data: Data; error?: never } | { data?: never; error: unknown }
);

/** Without `exactOptionalPropertyTypes`, which few projects have, TypeScript adds undefined to what is there. */
type Present<Data> = [Data] extends [undefined] ? undefined : Exclude<Data, undefined>;

/** The body of a success. Throws `FareboxError` for a refusal, and `UnexpectedAnswerError` for what is no answer. */
export async function unwrap<Data>(answer: Promise<Answered<Data>>): Promise<Present<Data>> {
  const answered = await answer;
  if (!answered.response.ok) throw toError(answered.error, answered.response);
  // 204 has no body, and no data.
  return answered.data as Present<Data>;
}
