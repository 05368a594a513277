import { ContractCheck } from '@farebox/api/test';

const check = new ContractCheck();

/** `fetch` that checks the exchange against the OpenAPI document. Waits for the end of the answer. */
export async function documentedFetch(request: Request): Promise<Response> {
  const requestBody = await request.clone().text();
  const response = await fetch(request);
  await expectDocumented(request, requestBody, response);
  return response;
}

/** The same for a non-streamed answer; a stream is left to its test. */
export async function expectDocumentedJson(request: Request, requestBody: string, response: Response) {
  const isJson = response.headers.get('content-type')?.startsWith('application/json') ?? false;
  if (isJson) await expectDocumented(request, requestBody, response);
  return response;
}

async function expectDocumented(request: Request, requestBody: string, response: Response): Promise<void> {
  const { pathname, search } = new URL(request.url);
  check.expect({
    method: request.method,
    target: pathname + search,
    requestBody,
    status: response.status,
    headers: Object.fromEntries(response.headers),
    text: await readUntilCut(response.clone()),
  });
}

/** The whole body, or the part before it was cut off. */
async function readUntilCut({ body }: Response): Promise<string> {
  const decoder = new TextDecoder();
  let text = '';
  try {
    for await (const part of body ?? []) text += decoder.decode(part as Uint8Array, { stream: true });
  } catch {
    // A failed stream is cut off after its last event, which is checked like any other.
  }
  return text;
}
