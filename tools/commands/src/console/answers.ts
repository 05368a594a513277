import { readFileSync } from 'node:fs';
import type { Page, Route } from 'playwright-core';
import { z } from 'zod';

/** Answers a call of the page in the service's place. */
export type Answer = (route: Route) => Promise<void>;

/** By `METHOD path`, for states that the demo account is not in. */
export type Answers = Readonly<Record<string, Answer>>;

const example = z.object({ value: z.unknown() });
const document = z.object({
  paths: z.record(
    z.string(),
    z.record(z.string(), z.object({ responses: z.record(z.string(), z.unknown()) }).loose()),
  ),
});

/** An example of the API's documentation, which tests hold against the contract. */
export function exampleOf(method: 'get' | 'post', path: string, status: number, name: string): unknown {
  const { paths } = document.parse(JSON.parse(readFileSync('docs/use/openapi.json', 'utf8')));
  const response = z
    .object({
      content: z.object({ 'application/json': z.object({ examples: z.record(z.string(), example) }) }),
    })
    .parse(paths[path]?.[method]?.responses[status.toString()]);
  const found = response.content['application/json'].examples[name];
  if (!found) throw new Error(`${method} ${path} has no example "${name}".`);
  return found.value;
}

export const instead =
  (json: unknown, status = 200): Answer =>
  (route) =>
    route.fulfill({ status, json });

/** The service's own response, with changes. */
export const changed =
  (change: (body: Record<string, unknown>) => object): Answer =>
  async (route) => {
    const response = await route.fetch();
    await route.fulfill({
      response,
      json: change(z.record(z.string(), z.unknown()).parse(await response.json())),
    });
  };

/** Every record of a list, with changes. */
export const changedRecords = (change: (record: Record<string, unknown>, index: number) => object): Answer =>
  changed((body) => ({
    ...body,
    data: z.array(z.record(z.string(), z.unknown())).parse(body['data']).map(change),
  }));

export const refused = (status: number, code: string, message: string): Answer =>
  instead({ error: { message, type: code, param: null, code } }, status);

export const unreachable: Answer = (route) => route.abort('connectionrefused');

/** A streamed completion. Without its end it is one that broke off. */
export const streamed =
  (pieces: readonly object[], end = 'data: [DONE]\n\n'): Answer =>
  (route) =>
    route.fulfill({
      headers: {
        'content-type': 'text/event-stream',
        'x-service-request-id': 'req_01kag0s3hze6p9tz3cm7qj5wxe',
      },
      body: pieces.map((piece) => `data: ${JSON.stringify(piece)}\n\n`).join('') + end,
    });

/** Has the page's calls answered. */
export async function answerCalls(page: Page, answers: Answers): Promise<void> {
  for (const [call, answer] of Object.entries(answers)) {
    const [method, path] = call.split(' ');
    await page.route(
      (url) => url.pathname === path,
      (route) => (route.request().method() === method ? answer(route) : route.fallback()),
    );
  }
}
