import { loadConfig, type Environment } from '@farebox/config';
import {
  CommandFailure,
  parametersOf,
  UsageError,
  routeOfVerb,
  type GivenValue,
  type Parameter,
} from '@farebox/verbs';
import type { Command } from 'commander';
import { z } from 'zod';
import type { Surroundings } from './command-run';
import { codeOf, readText } from './read-text';

/** The operator service, and the key to it. */
export interface Api {
  url: string;
  key: string;
}

/** The API that commands run over; undefined if they use the database. Throws `ConfigError`. */
export function readApi(environment: Environment): Api | undefined {
  if (environment['FAREBOX_MANAGEMENT_KEY'] === undefined) return undefined;
  const { values } = loadConfig('admin', environment, ['FAREBOX_OPERATOR_URL', 'FAREBOX_MANAGEMENT_KEY']);
  const { FAREBOX_OPERATOR_URL: url, FAREBOX_MANAGEMENT_KEY: key } = values;
  return key === undefined ? undefined : { url, key };
}

/** Leaves the words of a command as they were written: the service reads them. */
export function keepWords(command: Command): void {
  for (const declared of [...command.registeredArguments, ...command.options])
    declared.parseArg = (declared.variadic ? addWord : (word: string) => word) as NonNullable<
      typeof declared.parseArg
    >;
}

function addWord(word: string, before: readonly string[] = []): readonly string[] {
  return [...before, word];
}

/** The values of a command line by the names of the API, with the texts of its files. */
export async function toGiven(command: Command): Promise<Record<string, GivenValue>> {
  const given: Record<string, GivenValue> = {};
  for (const parameter of parametersOf(command)) {
    const value = valueOf(parameter, command);
    if (value !== undefined) given[parameter.name] = parameter.isFile ? await readText(String(value)) : value;
  }
  return given;
}

function valueOf({ source }: Parameter, command: Command): GivenValue | undefined {
  if (!('flags' in source))
    return command.processedArgs[command.registeredArguments.indexOf(source)] as GivenValue | undefined;
  const name = source.attributeName();
  return command.getOptionValueSource(name) === 'cli'
    ? (command.getOptionValue(name) as GivenValue)
    : undefined;
}

interface Answer {
  text: string;
  exitCode: number;
}

/**
 * Runs a verb at the operator service, and asks at the terminal for what it cannot undo. Throws `CommandFailure`, and
 * `UsageError` for a verb that works at a shell of the database alone.
 */
export async function runOverApi(
  api: Api,
  words: string,
  given: Record<string, GivenValue>,
  { wantsJson, ask }: { wantsJson: boolean; ask: Surroundings['ask'] },
): Promise<Answer> {
  const route = routeOfVerb(words);
  if (!route) {
    throw new UsageError(
      `"${words}" works with the database alone: unset FAREBOX_MANAGEMENT_KEY, and set DATABASE_URL.`,
    );
  }
  const send = (values: Record<string, GivenValue>): Promise<Answer | Refusal> =>
    call(api, { ...route, values, wantsJson });
  let answer = await send(given);
  if ('message' in answer && answer.param === 'yes' && ask) {
    const question = answer.message.split(': send "yes"')[0] ?? answer.message;
    if (!/^y(?:es)?$/i.test((await ask(`${question}. Go on? [y/N] `)).trim()))
      throw new CommandFailure('Nothing was changed.');
    answer = await send({ ...given, yes: true });
  }
  if ('message' in answer) throw new CommandFailure(answer.message);
  return answer;
}

interface Refusal {
  message: string;
  param: string | null;
}

const envelope = z.object({ error: z.object({ message: z.string(), param: z.string().nullable() }) });

interface Call {
  method: 'GET' | 'POST';
  path: string;
  values: Record<string, GivenValue>;
  wantsJson: boolean;
}

async function call(api: Api, { method, path, values, wantsJson }: Call): Promise<Answer | Refusal> {
  const { request } = await import('undici');
  const url = new URL(`${api.url}${path}`);
  const isRead = method === 'GET';
  if (isRead) {
    for (const [name, value] of Object.entries(values))
      for (const one of Array.isArray(value) ? value : [value]) url.searchParams.append(name, String(one));
  }
  const response = await request(url, {
    method,
    headers: {
      authorization: `Bearer ${api.key}`,
      accept: wantsJson ? 'application/json' : 'text/plain',
      ...(!isRead && { 'content-type': 'application/json' }),
    },
    ...(!isRead && { body: JSON.stringify(values) }),
    // A check of all books takes as long as they are.
    ...{ headersTimeout: 0, bodyTimeout: 0 },
  }).catch((cause: unknown) => {
    throw new CommandFailure(`The operator service at ${api.url} cannot be reached${codeOf(cause)}.`);
  });
  const text = await response.body.text();
  if (response.statusCode === 200)
    return { text: text.trimEnd(), exitCode: Number(response.headers['farebox-exit-code'] ?? 0) };
  const refusal = envelope.safeParse(parse(text));
  if (refusal.success) return refusal.data.error;
  throw new CommandFailure(
    `The server at ${api.url} answered ${String(response.statusCode)}: is it Farebox's?`,
  );
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
