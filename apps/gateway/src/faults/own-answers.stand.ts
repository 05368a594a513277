import type { IncomingMessage, ServerResponse } from 'node:http';
import { UPSTREAM_CANARIES } from '@farebox/simulated-upstream';

/** What upstreams answer as well, and the simulated one does not. */
const ANSWERS = {
  /** A stream whose first event is an error. */
  'error-first': (res) => {
    events(res, [ERROR, '[DONE]']);
  },
  /** A stream whose first event is none. */
  'garbage-first': (res) => {
    events(res, [`{"choices":[{"delta":${UPSTREAM_CANARIES.join()}`, '[DONE]']);
  },
  /** An error, as if all were well, and no stream where one was asked for. */
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
  /** No text before the error. */
  'error-after-role': (res) => {
    events(res, [chunk({ role: 'assistant', content: '' }), ERROR, '[DONE]']);
  },
  /** No text before the end. */
  'role-and-no-more': (res) => {
    events(res, [chunk({ role: 'assistant', content: '' }), chunk({ content: '' })]);
  },
  /** What it should have said at the beginning. */
  'refusal-midstream': (res) => {
    const error = JSON.stringify({
      error: { message: UPSTREAM_CANARIES.join(), code: 400, param: 'messages' },
    });
    events(res, [...WORDS.slice(0, 3).map((word) => chunk({ content: word })), error]);
  },
  /** A finish that is none. */
  'gives-up': (res) => {
    events(res, [...WORDS.slice(0, 3).map((word) => chunk({ content: word })), chunk({}, 'abort'), '[DONE]']);
  },
  /** More than it was asked for, and no word about its usage. */
  'overlong-no-usage': (res, stream) => {
    const message = { role: 'assistant', content: WORDS.join('') };
    if (!stream) json(res, JSON.stringify({ choices: [{ index: 0, message, finish_reason: 'stop' }] }));
    else events(res, [...WORDS.map((word) => chunk({ content: word })), chunk({}, 'stop'), '[DONE]']);
  },
} satisfies Record<string, (res: ServerResponse, stream: boolean) => void>;

export const OWN_MODELS = Object.keys(ANSWERS);

/** Of one token each. */
export const WORDS: readonly string[] = Array.from({ length: 50 }, () => ' word');

const ERROR = JSON.stringify({
  error: { message: UPSTREAM_CANARIES.join(), type: 'server_error', code: 503 },
});

/** An upstream's answer; the name of the model says which. */
export function answerOwn(req: IncomingMessage, res: ServerResponse): void {
  let text = '';
  req.on('data', (part: Buffer) => (text += part.toString()));
  req.on('end', () => {
    const { model, stream } = JSON.parse(text) as { model: keyof typeof ANSWERS; stream?: boolean };
    ANSWERS[model](res, stream === true);
  });
}

function chunk(delta: object, finish_reason: string | null = null): string {
  return JSON.stringify({ choices: [{ index: 0, delta, finish_reason }] });
}

function events(res: ServerResponse, data: readonly string[]): void {
  res.writeHead(200, { 'content-type': 'text/event-stream' });
  res.end(data.map((event) => `data: ${event}\n\n`).join(''));
}

function json(res: ServerResponse, text: string): void {
  res.writeHead(200, { 'content-type': 'application/json' });
  res.end(text);
}
