import type { IncomingMessage, ServerResponse } from 'node:http';
import { ApiError } from '@farebox/errors';
import { callerOf, readJsonBody, sendJson, cutWhenSlow, type BodyRoom } from '@farebox/http';
import {
  declareVerb,
  describeExpected,
  NotFoundFailure,
  parametersOf,
  routeOfVerb,
  UsageError,
  VERB_RIGHTS,
  VERBS,
  type GivenValue,
  type Report,
  type VerbCall,
  type VerbRight,
} from '@farebox/verbs';
import type { Request } from 'express';
import { ConfirmationNeeded, type VerbRequest } from '../verb-host';
import type { Caller } from './access';

/** A verb as an endpoint. */
export interface VerbRoute {
  words: string;
  method: 'GET' | 'POST';
  /** `/operator/v1/account/fund` */
  path: string;
  right: VerbRight;
}

/** Every verb of the table of rights, in the order of the help. */
export const VERB_ROUTES: readonly VerbRoute[] = Object.keys(VERBS).flatMap((words) => {
  const [right, route] = [VERB_RIGHTS[words], routeOfVerb(words)];
  return right && route ? [{ words, ...route, right }] : [];
});

/** Runs a verb for a request. */
export type RunVerb = (call: VerbCall, request: VerbRequest) => Promise<Report>;

/** A catalogue or a list of prices may be long. */
const BODY_LIMITS = { maxBytes: 4 * 1_048_576, maxDepth: 4, maxValues: 1_024 };

/** Runs the verb of a route with the values of its query or its body, and sends the report. */
export async function serveVerb(
  { words, method }: VerbRoute,
  caller: Caller,
  req: Request,
  res: ServerResponse,
  room: BodyRoom,
  run: RunVerb,
): Promise<void> {
  const given = method === 'GET' ? req.query : await readValues(req, room);
  const { network } = callerOf(req);
  const report = await run(
    { words, given: given as Record<string, GivenValue> },
    { words, operator: caller.operator, via: caller.via, network },
  ).catch((error: unknown) => {
    throw toRefusal(error);
  });
  // Bad news of a verb that did its work: books that differ.
  if (report.exitCode !== undefined && report.exitCode !== 0)
    res.setHeader('farebox-exit-code', report.exitCode);
  res.setHeader('vary', 'Accept');
  if (req.accepts(['application/json', 'text/plain']) === 'text/plain')
    sendText(res, inApiNames(report.text));
  else sendJson(res, 200, report.json);
}

async function readValues(req: IncomingMessage, room: BodyRoom): Promise<object> {
  const { headers } = req;
  if (headers['transfer-encoding'] === undefined && (headers['content-length'] ?? '0') === '0') return {};
  const body = await readJsonBody(req, BODY_LIMITS, room);
  if (typeof body === 'object' && body !== null && !Array.isArray(body)) return body;
  throw new ApiError('invalid_request_error', { message: 'The body is a JSON object of parameters.' });
}

/** The operator sees what a verb says about its parameters or its object; anything else stays internal. */
function toRefusal(error: unknown): unknown {
  if (error instanceof ConfirmationNeeded) {
    return new ApiError('invalid_request_error', {
      message: `${inApiNames(error.message)} This cannot be undone: send "yes": true to do it.`,
      param: 'yes',
    });
  }
  const sentences = describeExpected(error);
  if (!sentences) return error;
  return new ApiError('invalid_request_error', {
    message: inApiNames(sentences.join(' ')),
    ...(error instanceof NotFoundFailure && { status: 404 }),
    ...(error instanceof UsageError && error.parameter !== undefined && { param: error.parameter }),
    cause: error,
  });
}

function sendText(res: ServerResponse, text: string): void {
  const content = Buffer.from(`${text}\n`);
  res.setHeader('content-type', 'text/plain; charset=utf-8');
  res.setHeader('cache-control', 'no-store');
  res.setHeader('content-length', content.length);
  res.end(content);
  cutWhenSlow(res);
}

/** Options of the command line by their names here: `group_by` for `--group-by`. */
function inApiNames(text: string): string {
  return text.replace(/(?<![\w-])--([a-z]+(?:-[a-z]+)*)/g, (_, name: string) => name.replaceAll('-', '_'));
}

/** The verbs that a caller may use, with their parameters: for a console, and for people with curl. */
export function describeVerbs(mayUse: (words: string) => boolean) {
  return VERB_ROUTES.filter(({ words }) => mayUse(words)).map(({ words, method, path, right }) => {
    const verb = VERBS[words];
    if (!verb) throw new Error(`"${words}" is no verb`);
    return {
      verb: words,
      help: inApiNames(verb.help),
      ...{ method, path },
      roles: ['owner', ...right.roles],
      people_only: right.peopleOnly === true,
      parameters: parametersOf(declareVerb(words, verb)).map(
        ({ name, description, isRequired, kind, isFile, choices }) => ({
          ...{ name, description: inApiNames(description), required: isRequired },
          kind: isFile ? ('file' as const) : kind,
          choices: choices ?? null,
        }),
      ),
    };
  });
}
