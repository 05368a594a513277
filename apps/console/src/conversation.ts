import { FareboxError } from '@farebox/client';
import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import { StreamBroken, streamCompletion, type Asked } from './completion-stream';
import { dropKeptTurns, keepTurns, readTurns, updateKeptTurns } from './kept-conversation';
import { toMessages, type Attachment, type Turn } from './turns';
import { t } from '@farebox/ui/language';

interface Wish {
  model: string;
  system: string;
  parameters: Asked['parameters'];
}

/** The error codes of a key that can never work again. */
const DEAD_KEY: readonly string[] = ['invalid_api_key', 'expired_api_key', 'api_key_revoked'];

const isOfDeadKey = (thrown: unknown): boolean =>
  thrown instanceof FareboxError && DEAD_KEY.includes(thrown.code);

/** A key other than the dead one, if there can be one. */
type ObtainKey = (dead?: string) => Promise<string | undefined>;

/** The account's conversation in this tab, which nobody else sees, and the one response being received. */
export function useConversation(accountId: string, obtainKey: ObtainKey) {
  const queryClient = useQueryClient();
  const [turns, setTurns] = useState(() => readTurns(accountId));
  const [error, setError] = useState<unknown>();
  const [isRunning, setRunning] = useState(false);
  const running = useRef<AbortController>(undefined);
  const newest = useRef(turns);
  const put = (next: readonly Turn[]) => {
    newest.current = next;
    setTurns(next);
  };
  useEffect(() => {
    const keep = () => updateKeptTurns(accountId, newest.current);
    // A reload does not unmount anything.
    window.addEventListener('pagehide', keep);
    return () => {
      window.removeEventListener('pagehide', keep);
      // Leaving the page aborts the request: nothing more is charged.
      running.current?.abort();
    };
  }, [accountId]);

  /** Resolves to false if no part of a response arrived, so that the text may be sent again. */
  const send = async (
    text: string,
    attachments: readonly Attachment[],
    { model, system, parameters }: Wish,
  ): Promise<boolean> => {
    const asked: Turn[] = [
      ...turns,
      { role: 'user', content: text, ...(attachments.length > 0 && { attachments }) },
    ];
    const answer: Turn = { role: 'assistant', content: '', model };
    const show = () => put([...asked, { ...answer }]);
    const controller = new AbortController();
    running.current = controller;
    setError(undefined);
    setRunning(true);
    show();
    keepTurns(accountId, newest.current);
    try {
      const request = { model, messages: toMessages(system, asked), parameters, signal: controller.signal };
      const receive = async (apiKey: string) => {
        for await (const piece of streamCompletion({ ...request, apiKey })) {
          if ('text' in piece) answer.content += piece.text;
          else if ('reasoning' in piece) answer.reasoning = (answer.reasoning ?? '') + piece.reasoning;
          else if ('id' in piece) answer.id = piece.id;
          else if ('finish' in piece) answer.finish = piece.finish;
          else answer.usage = piece.usage;
          show();
        }
      };
      const apiKey = (await obtainKey()) ?? '';
      try {
        await receive(apiKey);
      } catch (thrown) {
        // The account's playground on another machine has replaced it, or the end of a session has ended it.
        const next = isOfDeadKey(thrown) ? await obtainKey(apiKey) : undefined;
        if (next === undefined) throw thrown;
        await receive(next);
      }
      return true;
    } catch (thrown) {
      if (controller.signal.aborted) answer.end = t('Stopped.');
      else if (thrown instanceof StreamBroken) answer.end = thrown.message;
      else setError(thrown);
      if (answer.end === undefined) put(turns);
      else show();
      return answer.end !== undefined;
    } finally {
      setRunning(false);
      updateKeptTurns(accountId, newest.current);
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
      put([]);
      dropKeptTurns();
      setError(undefined);
    },
  };
}
