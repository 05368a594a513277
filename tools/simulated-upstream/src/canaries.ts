/**
 * What only this upstream knows: its host, organisation, fingerprint, id prefix, model alias, key and error names.
 * A service in front of it must let none of them through, in any header, body or log line. Compare without regard
 * to case.
 */
export const CANARY = {
  host: 'gpu-7.upstream-canary.internal',
  organization: 'org-upstream-canary',
  fingerprint: 'fp_upstream',
  completionId: 'cmpl-upstream-',
  requestId: 'req-upstream-',
  secretKey: 'sk-upstream-canary',
  errorName: 'upstream_canary',
  modelAlias: '-2026-01-upstream',
  owner: 'upstream-owner',
  cookie: 'upstream_session',
  header: 'x-upstream-secret-host',
  organizationHeader: 'openai-organization',
  processingHeader: 'openai-processing-ms',
  rateLimit: '987654321',
} as const;

export const UPSTREAM_CANARIES: readonly string[] = Object.values(CANARY);

/** Sent with every answer, as a real upstream sends headers of its own. */
export const CANARY_HEADERS: Readonly<Record<string, string>> = {
  [CANARY.header]: CANARY.host,
  [CANARY.organizationHeader]: CANARY.organization,
  [CANARY.processingHeader]: '17',
  'x-request-id': `${CANARY.requestId}7`,
  'x-ratelimit-limit-requests': CANARY.rateLimit,
  'set-cookie': `${CANARY.cookie}=${CANARY.secretKey}; Path=/`,
  server: CANARY.host,
};
