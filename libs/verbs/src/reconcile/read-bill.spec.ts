import type { GivenText } from '../verb';
import type { BilledLine } from './billed';
import { readBill } from './read-bill';

const textOf = (...pieces: string[]): GivenText => ({
  name: 'bill',
  // eslint-disable-next-line @typescript-eslint/require-await -- as a stream has them
  async *pieces() {
    yield* pieces;
  },
});

async function read(...pieces: string[]): Promise<BilledLine[]> {
  const lines: BilledLine[] = [];
  for await (const line of readBill(textOf(...pieces))) lines.push(line);
  return lines;
}

const usd = (amount: bigint): bigint => amount * 10n ** 9n;

describe('usage and costs of OpenAI', () => {
  it('are read from the dashboard: minutes without usage are left out', async () => {
    const usage = `start_time,end_time,start_time_iso,num_model_requests,api_key_id,model,input_tokens,output_tokens,input_cached_tokens
1759622400,1759708800,2025-10-05T00:00:00+00:00,5,key_1,gpt-4o-2024-08-06,1000,500,800
1759708800,1759795200,2025-10-06T00:00:00+00:00,,,,,,
`;
    expect(await read(usage)).toMatchObject([
      {
        ...{ day: '2025-10-05', model: 'gpt-4o-2024-08-06', key: 'key_1', requests: 5 },
        ...{ promptTokens: 1000, completionTokens: 500, cachedTokens: 800 },
      },
    ]);
    const costs = `start_time,end_time,amount_value,amount_currency,line_item
1759622400,1759708800,0.8958740000000000,usd,"gpt-4o-2024-08-06, cached input"
1759708800,1759795200,,,
`;
    expect(await read(costs)).toEqual([
      { day: '2025-10-05', model: 'gpt-4o-2024-08-06', key: undefined, cost: usd(895_874_000n) },
    ]);
  });

  it('are read from pages of its API, one after the other, whatever the pieces', async () => {
    const usage = JSON.stringify(
      {
        object: 'page',
        data: [
          {
            ...{ object: 'bucket', start_time: 1_730_419_200, end_time: 1_730_505_600 },
            results: [
              {
                ...{
                  object: 'organization.usage.completions.result',
                  input_tokens: 1_000,
                  output_tokens: 500,
                },
                ...{ input_cached_tokens: 800, num_model_requests: 5, model: 'gpt-4o', api_key_id: null },
              },
            ],
          },
        ],
      },
      null,
      2,
    );
    const costs =
      '{"data":[{"start_time":1730419200,"results":[{"object":"organization.costs.result","amount":{"value":1.5e-06,"currency":"usd"},"line_item":"priority | gpt-4o, output, long context"}]}]}';
    const whole = `${usage}\n\n${costs}\n${costs}`;
    const expected = [
      { day: '2024-11-01', model: 'gpt-4o', requests: 5, promptTokens: 1000, cachedTokens: 800 },
      { day: '2024-11-01', model: 'gpt-4o', cost: 1_500_000_000_000n },
      { day: '2024-11-01', model: 'gpt-4o', cost: 1_500_000_000_000n },
    ];
    expect(await read(whole)).toMatchObject(expected);
    expect(await read(...whole.split(/(?<=.)/s))).toMatchObject(expected);
  });
});

describe('usage and costs of Anthropic', () => {
  it('are read from the console', async () => {
    const usage = `usage_date_utc,model_version,api_key,workspace,usage_type,context_window,usage_input_tokens_no_cache,usage_input_tokens_cache_write_5m,usage_input_tokens_cache_write_1h,usage_input_tokens_cache_read,usage_output_tokens,web_search_count
2026-03-22,claude-sonnet-4-20250514,near,Default,standard,≤ 200k,100,20,3,4000,50,0
`;
    expect(await read(usage)).toEqual([
      {
        ...{ day: '2026-03-22', model: 'claude-sonnet-4-20250514', key: 'near', promptTokens: 4_123 },
        ...{ cachedTokens: 4_000, cacheWriteTokens: 23, completionTokens: 50 },
      },
    ]);
    const costs = `usage_date_utc,model,workspace,api_key,usage_type,context_window,token_type,cost_usd,list_price_usd,cost_type
2026-03-22,Claude Sonnet 4,Default,near,message,≤ 200k,input_no_cache,1.50,1.50,token
2026-03-22,,Default,near,message,,,0.02,0.02,web_search
`;
    expect(await read(costs)).toEqual([
      { day: '2026-03-22', model: 'Claude Sonnet 4', key: 'near', cost: usd(1_500_000_000n) },
      { day: '2026-03-22', model: 'web_search', key: 'near', cost: usd(20_000_000n) },
    ]);
  });

  it('are read from its API, whose amounts are cents', async () => {
    const page = {
      data: [
        {
          starting_at: '2026-08-01T00:00:00Z',
          results: [
            {
              ...{ model: 'claude-opus-4-6', api_key_id: 'apikey_1', uncached_input_tokens: 1_500 },
              ...{ cache_read_input_tokens: 200, output_tokens: 500 },
              cache_creation: { ephemeral_1h_input_tokens: 1_000, ephemeral_5m_input_tokens: 500 },
            },
            { amount: '123.45', currency: 'USD', model: 'claude-opus-4-6', cost_type: 'tokens' },
          ],
        },
      ],
    };
    expect(await read(JSON.stringify(page))).toMatchObject([
      {
        promptTokens: 3_200,
        cachedTokens: 200,
        cacheWriteTokens: 1_500,
        completionTokens: 500,
        key: 'apikey_1',
      },
      { day: '2026-08-01', model: 'claude-opus-4-6', cost: usd(1_234_500_000n) },
    ]);
  });
});

it('generations and days of OpenRouter are read', async () => {
  const generations = `generation_id,created_at,model_permaslug,provider_name,api_key_name,tokens_prompt,tokens_completion,tokens_reasoning,tokens_cached,cost_total
gen-a,2026-04-13 23:59:59.5,openai/gpt-4o-mini,OpenAI,Primary,10,20,3,1,0.12
gen-b,2026-04-13T22:00:00-04:00,openai/gpt-4o-mini,OpenAI,Primary,15,25,4,2,0.34
`;
  expect(await read(generations)).toMatchObject([
    {
      day: '2026-04-13',
      key: 'Primary',
      requests: 1,
      promptTokens: 10,
      cachedTokens: 1,
      cost: usd(120_000_000n),
    },
    { day: '2026-04-14', completionTokens: 25 },
  ]);
  const days =
    '{"data":[{"date":"2025-08-24","model":"openai/gpt-4.1","usage":0.015,"requests":5,"prompt_tokens":50,"completion_tokens":125,"reasoning_tokens":25}]}';
  expect(await read(days)).toEqual([
    {
      ...{ day: '2025-08-24', model: 'openai/gpt-4.1', requests: 5, promptTokens: 50, completionTokens: 125 },
      cost: usd(15_000_000n),
    },
  ]);
});

it('meters of Azure are read by kind of tokens, in dollars', async () => {
  const meters = `"Date","MeterCategory","MeterName","Quantity","UnitOfMeasure","CostInBillingCurrency","BillingCurrency","ResourceId"
10/05/2026,Cognitive Services,gpt 4o 1120 Inp glbl Tokens,12.5,1K,0.03125,USD,/subscriptions/1/resourceGroups/g/providers/Microsoft.CognitiveServices/accounts/far
10/05/2026,Cognitive Services,gpt 4o 1120 cached Inp glbl Tokens,2,1K,0.0025,USD,/subscriptions/1/accounts/far
10/05/2026,Cognitive Services,gpt 4o 1120 Outp glbl Tokens,0.004,1M,0.04,USD,/subscriptions/1/accounts/far
10/05/2026,Storage,LRS Data Stored,1,1 GB/Month,2,USD,/subscriptions/1/accounts/store
`;
  const of = { day: '2026-10-05', model: 'gpt 4o 1120', key: 'far' };
  expect(await read(meters)).toEqual([
    { ...of, promptTokens: 12_500, cachedTokens: 0, cost: usd(31_250_000n) },
    { ...of, promptTokens: 2_000, cachedTokens: 2_000, cost: usd(2_500_000n) },
    { ...of, completionTokens: 4_000, cost: usd(40_000_000n) },
  ]);
});

it('a file of our own format may name the upstream of each line', async () => {
  expect(
    await read('\uFEFFday,upstream,model,requests,prompt_tokens,cost\n2026-10-05,near,m,3,"40",0.5\n'),
  ).toMatchObject([
    {
      day: '2026-10-05',
      upstream: 'near',
      model: 'm',
      requests: 3,
      promptTokens: 40,
      cost: usd(500_000_000n),
    },
  ]);
});

describe('a file that cannot be read', () => {
  it.each([
    ['', 'bill is empty.'],
    ['a,b\n1,2\n', 'bill, line 1: no known export has these columns: a, b.'],
    ['day,model,requests\n2026-10-05,m,x\n', 'bill, line 2: requests is not a whole number: x.'],
    ['day,model,cost\n2026-10-05,m,1\n2026-13-05,m,1\n', 'bill, line 3: day is not a day: 2026-13-05.'],
    ['day,model,cost\n2026-10-05,m,"1\n', /^bill: .*Quote.*\.$/],
    ['day,model,cost\n2026-10-05,m\n', /^bill: .*line 2.*\.$/],
    [
      'start_time,amount_value,amount_currency,line_item\n1759622400,1,eur,x\n',
      'bill, line 2: amount_currency is eur: only dollars can be compared.',
    ],
    [
      'start_time,amount_value,line_item\n1759622400,1,\n',
      'bill, line 2: it names no model: export it grouped by line_item.',
    ],
    ['{"data": [\n', /^bill, line 1: it is not JSON: /],
    ['{"models": {}}', 'bill, line 1: it is no page of a usage or cost API that is known.'],
    [
      '{"data":[]}\n{"data":[{"start_time":1730419200,"results":[{"input_tokens":1,"num_model_requests":1,"model":null}]}]}',
      'bill, line 2, data[0].results[0]: it names no model: export it grouped by model.',
    ],
  ])('says where and why: %j', async (text, message) => {
    await expect(read(text)).rejects.toThrow(message);
  });
});
