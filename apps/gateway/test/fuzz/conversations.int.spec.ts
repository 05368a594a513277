import { numberFromEnvironment, randomSeed } from '@farebox/testing';
import { startChat, startMessages, startResponses, type StartConversation } from '../conversations/clients';
import { complaintOfChat, sayAsChat } from '../conversations/chat-server';
import { complaintOfMessages, sayAsMessages } from '../conversations/messages-server';
import { below, happens, oneOf, randomFrom, type Random } from '../conversations/random';
import { answerFrom } from '../conversations/random-answer';
import { complaintOfResponses, sayAsResponses } from '../conversations/responses-server';
import { startRoutesHarness, type RouteAnswer, type RoutesHarness } from '../routes-harness';

// A client sends earlier answers back in its SDK's own types, and one refusal ends its conversation. The
// servers are as strict as real ones, so any refusal is the service's fault.

const SEED = numberFromEnvironment('FAREBOX_TEST_SEED') ?? randomSeed();
const TURNS = numberFromEnvironment('FAREBOX_TEST_FUZZ_TURNS') ?? 1_000;
const LONGEST_CONVERSATION = 10;
const MINUTES_PER_1_000_TURNS = 10;

let harness: RoutesHarness;
let random: Random = randomFrom(SEED);
const complaints: string[] = [];
beforeAll(async () => {
  const terms = {
    context_window: 1_000_000,
    max_output_tokens: 4_000,
    tokenizer: 'o200k_base',
    modalities: ['text', 'image'],
    image_tokens: 1_000,
  };
  harness = await startRoutesHarness(
    [
      { id: 'of-chat', routes: [{ upstream: 'a', model: 'm' }], ...terms },
      { id: 'of-messages', routes: [{ upstream: 'b', model: 'm' }], ...terms },
      { id: 'of-responses', routes: [{ upstream: 'c', model: 'm' }], ...terms },
    ],
    { upstreams: { b: { wire: 'messages', dialect: { role_system: 'user' } }, c: { wire: 'responses' } } },
  );
  harness.answer(
    'a/m',
    strict(complaintOfChat, (res, asked) => {
      sayAsChat(random, res, asked, answerFrom(random));
    }),
  );
  harness.answer(
    'b/m',
    strict(complaintOfMessages, (res, asked) => {
      sayAsMessages(random, res, asked, answerFrom(random));
    }),
  );
  harness.answer(
    'c/m',
    strict(complaintOfResponses, (res, asked) => {
      sayAsResponses(random, res, asked, answerFrom(random));
    }),
  );
});
afterAll(async () => {
  await harness.expectSettled();
  await harness.close();
});

type Complain = (asked: Parameters<RouteAnswer>[1]) => string | undefined;

function strict(complain: Complain, answer: RouteAnswer): RouteAnswer {
  return (res, asked, req) => {
    const complaint = complain(asked);
    if (complaint === undefined) {
      answer(res, asked, req);
      return;
    }
    complaints.push(`${complaint} in ${JSON.stringify(asked['input'] ?? asked.messages)}`);
    res.writeHead(400, { 'content-type': 'application/json' });
    res.end(JSON.stringify({ error: { type: 'invalid_request_error', message: complaint } }));
  };
}

const CLIENTS: [string, StartConversation][] = [
  ['chat', startChat],
  ['messages', startMessages],
  ['responses', startResponses],
];
const SERVERS: [string, string[]][] = [
  ['chat', ['of-chat']],
  ['messages', ['of-messages']],
  ['responses', ['of-responses']],
  ['now one, now another', ['of-chat', 'of-messages', 'of-responses']],
];
const CASES = CLIENTS.flatMap(([client, start], at) =>
  SERVERS.map(([server, models], other) => ({
    client,
    server,
    start,
    models,
    salt: SERVERS.length * at + other,
  })),
);

it.each(CASES)(
  `conversations of $client with servers of $server go on (seed ${String(SEED)})`,
  async ({ start, models, salt }) => {
    random = randomFrom(SEED + salt);
    let turns = Math.ceil(TURNS / CASES.length);
    while (turns > 0) {
      const { secret: apiKey } = await harness.givenKey();
      const conversation = start({ url: harness.url, apiKey }, random);
      for (let left = 1 + below(random, LONGEST_CONVERSATION); left > 0 && turns > 0; left--, turns--) {
        const asking = conversation.ask(oneOf(random, models), happens(random, 0.5));
        const refusal = await asking.then(
          () => undefined,
          (error: unknown) => String(error),
        );
        expect([refusal, complaints.splice(0)]).toEqual([undefined, []]);
        conversation.goOn();
      }
    }
  },
  (TURNS / 1_000) * MINUTES_PER_1_000_TURNS * 60_000,
);
