import { fromDecimalUsd } from '@farebox/money';
import OpenAI from 'openai';
import { givenCustomer, startWholeService, type WholeService } from '../test/whole-service';

let service: WholeService;
beforeAll(async () => {
  service = await startWholeService({ gateways: 1 });
});
afterAll(async () => {
  await service.close();
});

async function balanceOf(sessionToken: string): Promise<bigint> {
  const response = await fetch(`${service.baseUrl}/v1/billing/balance`, {
    headers: { authorization: `Bearer ${sessionToken}` },
  });
  return fromDecimalUsd(((await response.json()) as { balance: string }).balance);
}

const costOf = (usage: object | null | undefined): bigint => fromDecimalUsd((usage as { cost: string }).cost);

it('the official client, with only its base URL and key changed, lists, completes, streams, and pays to the nano-dollar', async () => {
  const { apiKey, sessionToken } = await givenCustomer(service, 'ada@example.com', '25.00');
  const openai = new OpenAI({ baseURL: `${service.baseUrl}/v1`, apiKey });
  const messages = [{ role: 'user' as const, content: 'What does a farebox do?' }];

  // In the order of the catalogue.
  expect((await openai.models.list()).data.map((model) => model.id)).toEqual([
    'small',
    'slow',
    'slower',
    'paced',
    'endless',
  ]);
  expect(await balanceOf(sessionToken)).toBe(25_000_000_000n);

  const completion = await openai.chat.completions.create({ model: 'small', messages });
  expect(completion.choices[0]?.message.content).toBeTruthy();
  expect(await balanceOf(sessionToken)).toBe(25_000_000_000n - costOf(completion.usage));

  let text = '';
  let streamCostNano = 0n;
  const stream = await openai.chat.completions.create({
    model: 'paced',
    messages,
    stream: true,
    max_completion_tokens: 12,
    stream_options: { include_usage: true },
  });
  for await (const chunk of stream) {
    text += chunk.choices[0]?.delta.content ?? '';
    if (chunk.usage) streamCostNano = costOf(chunk.usage);
  }
  expect(text).not.toBe('');
  expect(streamCostNano).toBeGreaterThan(0n);
  expect(await balanceOf(sessionToken)).toBe(25_000_000_000n - costOf(completion.usage) - streamCostNano);

  expect(await service.admin('ledger', 'verify')).toMatchObject({ ok: true });
});

it('errors reach the official client as its own error classes', async () => {
  const { apiKey } = await givenCustomer(service, 'grace@example.com', '0.000001');
  const openai = new OpenAI({ baseURL: `${service.baseUrl}/v1`, apiKey, maxRetries: 2 });
  const messages = [{ role: 'user' as const, content: 'Hello' }];
  await expect(openai.chat.completions.create({ model: 'small', messages })).rejects.toMatchObject({
    status: 402,
    code: 'insufficient_funds',
    requestID: expect.stringMatching(/^req_/) as string,
  });
  await expect(openai.chat.completions.create({ model: 'nothing', messages })).rejects.toBeInstanceOf(
    OpenAI.NotFoundError,
  );
  const stranger = new OpenAI({ baseURL: `${service.baseUrl}/v1`, apiKey: 'sk-123' });
  await expect(stranger.models.list()).rejects.toBeInstanceOf(OpenAI.AuthenticationError);
});
