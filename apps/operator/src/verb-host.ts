import type { Environment } from '@farebox/config';
import { UsageError, type VerbHost } from '@farebox/verbs';
import type { Pool } from 'pg';

/** A verb, with its caller and their address. */
export interface VerbRequest {
  words: string;
  /** The e-mail address of a person, or the name of a key. */
  operator: string;
  via: 'session' | 'key';
  network: string | null;
}

/** A verb cannot be undone, and nobody has confirmed it. The message is the question. */
export class ConfirmationNeeded extends Error {}

/** The host of one verb that a request asked for. */
export function createHost(
  { words, ...who }: VerbRequest,
  pools: { read: Pool; write: Pool },
  environment: Environment,
): Omit<VerbHost, 'deliver'> {
  const warnings: string[] = [];
  return {
    environment,
    hasUpstreamSecrets: false,
    acting: () => ({ ...who, action: words }),
    onDatabase: (access, work) => work(pools[access]),
    warn: (line) => {
      warnings.push(line);
    },
    progress: () => undefined,
    confirm: (question, isConfirmed) =>
      isConfirmed === true
        ? Promise.resolve()
        : Promise.reject(new ConfirmationNeeded([...warnings, question].join(' '))),
    // The request has the text itself: no path of this machine is ever read.
    openFile: (given) =>
      given === undefined
        ? Promise.reject(new UsageError('Send the text of the file.', 'file'))
        : Promise.resolve({ name: 'the file', text: given }),
  };
}
