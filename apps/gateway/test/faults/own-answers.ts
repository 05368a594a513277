import type { IncomingMessage, ServerResponse } from 'node:http';
import { UPSTREAM_CANARIES } from '@farebox/simulated-upstream';
import { toMessage, toMessageEvents } from './own-messages';

type Answer = (res: ServerResponse, stream: boolean, body: Record<string, unknown>) => void;

/** Usage that cannot be true: eight tokens are delivered, and eight were asked for. */
const IMPLAUSIBLE_USAGE: Readonly<Record<string, object>> = {
  'usage-over-32-bits': { prompt_tokens: 4_294_967_295, completion_tokens: 8 },
  'usage-over-53-bits': { prompt_tokens: 9e15, completion_tokens: 9e15 },
  'usage-over-64-bits': { prompt_tokens: 1e19, completion_tokens: 8 },
  'usage-negative': { prompt_tokens: -1, completion_tokens: -8 },
  'usage-fractional': { prompt_tokens: 11.5, completion_tokens: 8.5 },
  'usage-text': { prompt_tokens: '11', completion_tokens: '8' },
  'usage-zeros': { prompt_tokens: 0, completion_tokens: 0 },
  'usage-no-output': { prompt_tokens: 11, completion_tokens: 0 },
  'usage-over-limit': { prompt_tokens: 11, completion_tokens: 9 },
  'usage-over-context': { prompt_tokens: 100_001, completion_tokens: 8 },
};

export const IMPLAUSIBLE_MODELS = [
  'wrong-usage',
  ...Object.keys(IMPLAUSIBLE_USAGE).map((name) => `own-${name}`),
];

/** More than is held, yet possible: a chat template can add hidden text. */
const USAGE_OVER_HOLD = { prompt_tokens: 50_000, completion_tokens: 8 };

/** Other upstream answers, which the simulated upstream does not send. */
const ANSWERS: Readonly<Record<string, Answer>> = {
  ...Object.fromEntries(
    Object.entries({ ...IMPLAUSIBLE_USAGE, 'usage-over-hold': USAGE_OVER_HOLD }).map(([name, usage]) => [
      name,
      (res: ServerResponse, stream: boolean) => {
        eightWords(res, stream, usage);
      },
    ]),
  ),
  /** A stream whose first event is an error. */
  'error-first': (res) => {
    events(res, [ERROR, '[DONE]']);
  },
  /** A stream whose first event is invalid. */
  'garbage-first': (res) => {
    events(res, [`{"choices":[{"delta":${UPSTREAM_CANARIES.join()}`, '[DONE]']);
  },
  /** An error under status 200, and no stream if one was asked for. */
  'error-json': (res) => {
    json(res, ERROR);
  },
  /** A stream with an end and nothing before it. */
  'nothing-but-done': (res) => {
    events(res, ['[DONE]']);
  },
  'done-without-finish': (res) => {
    events(res, [...WORDS.slice(0, 3).map((word) => chunk({ content: word })), '[DONE]']);
  },
  /** An error before any text. */
  'error-after-role': (res) => {
    events(res, [chunk({ role: 'assistant', content: '' }), ERROR, '[DONE]']);
  },
  /** An end before any text. */
  'role-and-no-more': (res) => {
    events(res, [chunk({ role: 'assistant', content: '' }), chunk({ content: '' })]);
  },
  /** A refusal that comes too late. */
  'refusal-midstream': (res) => {
    const error = JSON.stringify({
      error: { message: UPSTREAM_CANARIES.join(), code: 400, param: 'messages' },
    });
    events(res, [...WORDS.slice(0, 3).map((word) => chunk({ content: word })), error]);
  },
  /** A finish reason for a failure. */
  'gives-up': (res) => {
    events(res, [...WORDS.slice(0, 3).map((word) => chunk({ content: word })), chunk({}, 'abort'), '[DONE]']);
  },
  /** Sends as much as any client accepts, whatever the limit: four megabytes without a stream. */
  endless: (res, stream) => {
    const text = WORDS.join('').repeat(16_000);
    const message = { role: 'assistant', content: text };
    const usage = { prompt_tokens: 11, completion_tokens: text.length / 5 };
    if (!stream) {
      json(res, JSON.stringify({ choices: [{ index: 0, message, finish_reason: 'stop' }], usage }));
      return;
    }
    underWay++;
    res.once('close', () => underWay--);
    res.writeHead(200, { 'content-type': 'text/event-stream' });
    const said = chunk({ content: WORDS.join('') });
    const event = `data: ${NATIVE.has(res) ? toMessageEvents(said).join('') : said}\n\n`;
    const goOn = (): void => {
      while (!res.destroyed && res.write(event));
      if (!res.destroyed) res.once('drain', goOn);
    };
    goOn();
  },
  /** A server that always fails. */
  fails: (res) => {
    fails(res);
  },
  /** A server that does not support one field, and reports a failure. */
  'fails-at-logit-bias': (res, stream, body) => {
    const message = { role: 'assistant', content: ' word' };
    if (body['logit_bias'] !== undefined) fails(res);
    else if (!stream) json(res, JSON.stringify({ choices: [{ index: 0, message, finish_reason: 'stop' }] }));
    else events(res, [chunk({ content: ' word' }), chunk({}, 'stop'), '[DONE]']);
  },
  /** More than was asked for, and no usage. */
  'overlong-no-usage': (res, stream) => {
    const message = { role: 'assistant', content: WORDS.join('') };
    if (!stream) json(res, JSON.stringify({ choices: [{ index: 0, message, finish_reason: 'stop' }] }));
    else events(res, [...WORDS.map((word) => chunk({ content: word })), chunk({}, 'stop'), '[DONE]']);
  },
};

let underWay = 0;
/** Number of endless streams that still have a listener. */
export const endlessStreams = (): number => underWay;

export const OWN_MODELS = Object.keys(ANSWERS);

/** One token each. */
const WORDS: readonly string[] = Array.from({ length: 50 }, () => ' word');

const ERROR = JSON.stringify({
  error: { message: UPSTREAM_CANARIES.join(), type: 'server_error', code: 503 },
});

/** Responses to a client of messages. */
const NATIVE = new WeakSet<ServerResponse>();

/** An upstream's answer, in chat or messages as requested; the model's name selects it. */
export function answerOwn(req: IncomingMessage, res: ServerResponse): void {
  if (req.url?.endsWith('/messages') === true) NATIVE.add(res);
  let text = '';
  req.on('data', (part: Buffer) => (text += part.toString()));
  req.on('end', () => {
    const body = JSON.parse(text) as Record<string, unknown> & { model: string };
    ANSWERS[body.model]?.(res, body['stream'] === true, body);
  });
}

function eightWords(res: ServerResponse, stream: boolean, usage: object): void {
  const words = WORDS.slice(0, 8);
  const message = { role: 'assistant', content: words.join('') };
  if (!stream) json(res, JSON.stringify({ choices: [{ index: 0, message, finish_reason: 'stop' }], usage }));
  else {
    const said = words.map((word) => chunk({ content: word }));
    events(res, [...said, chunk({}, 'stop'), JSON.stringify({ choices: [], usage }), '[DONE]']);
  }
}

function chunk(delta: object, finish_reason: string | null = null): string {
  return JSON.stringify({ choices: [{ index: 0, delta, finish_reason }] });
}

function events(res: ServerResponse, data: readonly string[]): void {
  res.writeHead(200, { 'content-type': 'text/event-stream' });
  const said = NATIVE.has(res) ? data.flatMap(toMessageEvents) : data;
  res.end(said.map((event) => `data: ${event}\n\n`).join(''));
}

function json(res: ServerResponse, text: string): void {
  res.writeHead(200, { 'content-type': 'application/json' });
  res.end(NATIVE.has(res) ? toMessage(text) : text);
}

function fails(res: ServerResponse): void {
  res.writeHead(500, { 'content-type': 'application/json' });
  res.end(ERROR);
}
