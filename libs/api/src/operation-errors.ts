import { ERROR_CODES, type ErrorCode } from '@farebox/errors';
import type { Credential, ErrorCase, Operation, SpecialErrorCase } from './operation';

export interface ErrorAnswer {
  code: ErrorCode;
  status: number;
  param: string | null;
  when: string | undefined;
}

function toErrorAnswer(given: ErrorCase): ErrorAnswer {
  const { code, status, param, when }: SpecialErrorCase = typeof given === 'string' ? { code: given } : given;
  return { code, status: status ?? ERROR_CODES[code].status, param: param ?? null, when };
}

/** Errors of every operation with a credential; health checks and documents have none of these. */
const OF_CREDENTIAL: Readonly<Record<Credential, readonly ErrorCase[]>> = {
  api_key: [
    'authentication_error',
    'invalid_api_key',
    'expired_api_key',
    'beta_access_required',
    'internal_error',
    'service_unavailable',
  ],
  session: ['authentication_error', 'beta_access_required', 'internal_error', 'service_unavailable'],
  none: [],
};

const OF_AN_API_KEY: readonly ErrorCase[] = ['invalid_api_key', 'expired_api_key'];

const OF_A_BODY: readonly ErrorCase[] = [
  { code: 'invalid_request_error', status: 408, when: 'The request did not arrive in time.' },
  'request_too_large',
];

/** Every error of an operation, by status and code. Specific ones come before common ones. */
export function errorAnswersOf(operation: Operation): ErrorAnswer[] {
  const cases = [
    ...operation.errors,
    'invalid_request_error' as const,
    ...(operation.takesApiKey === true ? OF_AN_API_KEY : []),
    ...OF_CREDENTIAL[operation.credential].filter(
      (code) => code !== 'beta_access_required' || operation.needsAccess !== false,
    ),
    ...(operation.body ? OF_A_BODY : []),
  ].map(toErrorAnswer);
  const byKey = new Map<string, ErrorAnswer>();
  for (const answer of cases) {
    const key = `${String(answer.status)} ${answer.code}`;
    if (!byKey.has(key)) byKey.set(key, answer);
  }
  return [...byKey.values()].sort((a, b) => a.status - b.status);
}
