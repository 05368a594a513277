import { FareboxError } from '@farebox/client';
import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import { streamCompletion, StreamBroken, type Message, type StreamUsage } from './completion-stream';

export interface Turn extends Message {
  usage?: StreamUsage;
  /** The completion's id, which its page in the activity has. */
  id?: string;
  /** Why it ended before its end. */
  end?: string;
}

interface Wish {
  model: string;
  system: string;
  parameters: Readonly<Record<string, number>>;
}

/** The codes of a key that nothing can be done with any more. */
const DEAD_KEY: readonly string[] = ['invalid_api_key', 'expired_api_key', 'api_key_revoked'];

export const toMessages = (system: string, turns: readonly Turn[]): Message[] => [
  ...(system ? [{ role: 'system' as const, content: system }] : []),
  ...turns.map(({ role, content }) => ({ role, content })),
];

/** What was said, and the one answer that is on its way. */
export function useConversation(obtainKey: () => Promise<string>, dropKey: () => void) {
  const queryClient = useQueryClient();
  const [turns, setTurns] = useState<readonly Turn[]>([]);
  const [error, setError] = useState<unknown>();
  const [isRunning, setRunning] = useState(false);
  const running = useRef<AbortController>(undefined);
  // Who leaves the page ends the request: nothing more is charged.
  useEffect(() => () => running.current?.abort(), []);

  /** Resolves to false if nothing of an answer came, and the text may be sent again. */
  const send = async (text: string, { model, system, parameters }: Wish): Promise<boolean> => {
    const asked: Turn[] = [...turns, { role: 'user', content: text }];
    const answer: Turn = { role: 'assistant', content: '' };
    const show = () => setTurns([...asked, { ...answer }]);
    const controller = new AbortController();
    running.current = controller;
    setError(undefined);
    setRunning(true);
    show();
    try {
      const apiKey = await obtainKey();
      const request = {
        apiKey,
        model,
        messages: toMessages(system, asked),
        parameters,
        signal: controller.signal,
      };
      for await (const piece of streamCompletion(request)) {
        if ('text' in piece) answer.content += piece.text;
        else if ('id' in piece) answer.id = piece.id;
        else answer.usage = piece.usage;
        show();
      }
      return true;
    } catch (thrown) {
      if (controller.signal.aborted) answer.end = 'Stopped. What had been delivered is charged.';
      else if (thrown instanceof StreamBroken) answer.end = thrown.message;
      else setError(thrown);
      if (thrown instanceof FareboxError && DEAD_KEY.includes(thrown.code)) dropKey();
      if (answer.end === undefined) setTurns(turns);
      else show();
      return answer.end !== undefined;
    } finally {
      setRunning(false);
      for (const queryKey of [['balance'], ['account'], ['activity'], ['usage'], ['transactions']])
        void queryClient.invalidateQueries({ queryKey });
    }
  };
  return {
    turns,
    error,
    isRunning,
    send,
    stop: () => running.current?.abort(),
    clear: () => {
      setTurns([]);
      setError(undefined);
    },
  };
}
