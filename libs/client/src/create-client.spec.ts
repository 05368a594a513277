import { createFareboxClient, unwrap, type FareboxClientOptions } from './create-client';
import { FareboxError, UnexpectedAnswerError } from './farebox-error';

/** A client whose service returns `answer`, and the requests that it received. */
function clientOf(answer: Response, credential: Omit<FareboxClientOptions, 'baseUrl' | 'fetch'> = {}) {
  const requests: Request[] = [];
  const client = createFareboxClient({
    baseUrl: 'https://inference.example',
    ...credential,
    fetch: (request) => {
      requests.push(request);
      return Promise.resolve(answer);
    },
  } as FareboxClientOptions);
  return { client, requests };
}

const balance = { object: 'balance', currency: 'usd', balance: '1.000000000' };
const refusal = (code: string) =>
  Response.json(
    { error: { message: 'No.', type: 'rate_limit_error', param: null, code } },
    {
      status: 429,
      headers: { 'x-should-retry': 'true', 'retry-after': '7', 'x-service-request-id': 'req_1' },
    },
  );

describe('createFareboxClient', () => {
  it.each([
    [{ apiKey: 'ak-1' }, 'Bearer ak-1'],
    [{ session: 'st-1' }, 'Bearer st-1'],
    [{}, null],
  ])('sends %j as %j', async (credential, expected) => {
    const { client, requests } = clientOf(Response.json(balance), credential);
    expect(await unwrap(client.GET('/v1/billing/balance'))).toEqual(balance);
    expect(requests[0]?.headers.get('authorization')).toBe(expected);
    expect(requests[0]?.url).toBe('https://inference.example/v1/billing/balance');
  });

  it('writes path and query parameters', async () => {
    const { client, requests } = clientOf(Response.json({}));
    await client.GET('/v1/api-keys', { params: { query: { limit: 5 } } });
    expect(requests[0]?.url).toBe('https://inference.example/v1/api-keys?limit=5');
  });
});

describe('unwrap', () => {
  it('throws a refusal with its code and the values of its headers', async () => {
    const { client } = clientOf(refusal('rate_limit_error'));
    const thrown = await unwrap(client.GET('/v1/billing/balance')).catch((error: unknown) => error);
    expect(thrown).toBeInstanceOf(FareboxError);
    expect(thrown).toMatchObject({
      message: 'No.',
      status: 429,
      code: 'rate_limit_error',
      param: null,
      requestId: 'req_1',
      shouldRetry: true,
      retryAfterSeconds: 7,
    });
  });

  it.each([
    ['a page of a proxy', new Response('<html>', { status: 502 })],
    ['other JSON', Response.json({ error: 'no' }, { status: 500 })],
    ['nothing', new Response(null, { status: 503 })],
  ])('throws a response that is not from the service: %s', async (_, answer) => {
    const { client } = clientOf(answer);
    await expect(unwrap(client.GET('/v1/billing/balance'))).rejects.toBeInstanceOf(UnexpectedAnswerError);
  });
});
