import { ERROR_CODES, type ErrorCode } from './error-codes';

/** The pages of docs/errors by file name: one for each code, and the index. `npm run openapi` writes them. */
export function errorPages(): Map<string, string> {
  const codes = Object.keys(ERROR_CODES) as ErrorCode[];
  return new Map([['README.md', index(codes)], ...codes.map((code) => [`${code}.md`, page(code)] as const)]);
}

function page(code: ErrorCode): string {
  const { status, type, retryable, when, remedy } = ERROR_CODES[code];
  return `# \`${code}\`

| | |
|---|---|
| HTTP status | ${String(status)} |
| type | \`${type}\` |
| retry by itself | ${retryable ? 'yes' : 'no'} |

## When

${when}

## What to do

${remedy}
`;
}

function index(codes: readonly ErrorCode[]): string {
  const rows = codes.map((code) => {
    const { status, type } = ERROR_CODES[code];
    return `| ${String(status)} | [\`${code}\`](${code}.md) | \`${type}\` |\n`;
  });
  return `# Errors

Every failed request is answered with the same envelope, whose \`code\` and \`type\` come from a closed set.
Branch on \`code\`; \`message\` is for people and may be reworded at any time.

\`\`\`json
{ "error": { "message": "…", "type": "invalid_request_error", "param": "messages", "code": "invalid_request_error" } }
\`\`\`

Every error carries \`x-should-retry: true\` or \`false\`, and \`X-Service-Request-Id\`, which the operator can look up.

| HTTP | code | type |
|---|---|---|
${rows.join('')}`;
}
