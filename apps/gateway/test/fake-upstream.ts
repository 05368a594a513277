import type { StreamSink, WholeSink } from '../src/upstream/body-readers';
import { UpstreamFailure } from '../src/upstream/failure';
import { USUAL_SPEECH } from '../src/upstream/speech';
import type { UpstreamClient } from '../src/upstream/upstream-client';
import { givenUpstream } from './fake-completion';

/** A call to an upstream that a test answers. */
interface ScriptedCall {
  /** The actions on it, in order. */
  done: ('abort' | 'settle' | 'pause' | 'resume')[];
  fail(failure: UpstreamFailure): void;
  /** Sends a non-streamed answer. */
  answer(content: string): void;
  /** Sends an event with a piece of text. */
  say(content: string): void;
  /** Sends a raw event. */
  event(data: string): void;
  /** Sends the last events of a stream: finish, usage if given, and `[DONE]`. */
  finish(usage?: {
    prompt_tokens: number;
    completion_tokens: number;
    completion_tokens_details?: object;
  }): void;
}

export interface ScriptedUpstream extends UpstreamClient {
  calls: ScriptedCall[];
}

/** `isUp`: it answers others. */
export function scriptUpstream({ isUp = true } = {}): ScriptedUpstream {
  const calls: ScriptedCall[] = [];
  const begin = (sinks: { whole?: WholeSink; stream?: StreamSink }) => {
    const call = scriptCall(sinks);
    calls.push(call);
    return {
      abort: () => call.done.push('abort'),
      settle: () => call.done.push('settle'),
      pause: () => call.done.push('pause'),
      resume: () => call.done.push('resume'),
    };
  };
  return {
    upstream: givenUpstream,
    calls,
    speechOf: () => USUAL_SPEECH,
    learnSpeech: () => undefined,
    complete: (_ask, whole) => begin({ whole }),
    embed: (_ask, whole) => begin({ whole }),
    stream: (_ask, stream) => begin({ stream }),
    mayRepeat: () => true,
    watchHealth: () => () => Promise.resolve(isUp),
    close: () => Promise.resolve(),
  };
}

function scriptCall({ whole, stream }: { whole?: WholeSink; stream?: StreamSink }): ScriptedCall {
  // Behaves like a real call: an error of the sink becomes the result.
  const orFail = (read: () => void): void => {
    try {
      read();
    } catch (cause) {
      const failure = cause instanceof UpstreamFailure ? cause : new UpstreamFailure('garbage', { cause });
      (whole ?? stream)?.onFailure(failure);
    }
  };
  const event = (data: string): void => {
    orFail(() => stream?.onData(data));
  };
  const choice = (delta: object, finish_reason: string | null): void => {
    event(JSON.stringify({ choices: [{ index: 0, delta, finish_reason }] }));
  };
  return {
    done: [],
    fail: (failure) => (whole ?? stream)?.onFailure(failure),
    answer(content) {
      const message = { role: 'assistant', content };
      const answer = { choices: [{ index: 0, message, finish_reason: 'stop' }] };
      orFail(() => void whole?.onAnswer(Buffer.from(JSON.stringify(answer))));
    },
    say: (content) => {
      choice({ content }, null);
    },
    event,
    finish(usage) {
      choice({}, 'stop');
      if (usage) event(JSON.stringify({ choices: [], usage }));
      event('[DONE]');
    },
  };
}

/** Lets everything run that is due. */
export const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
