/** A mail as a person's program shows it. */
export interface ReadMail {
  /** Exactly as it was sent. */
  raw: string;
  /** By name in lower case, unfolded. A header that came twice shows as a list. */
  headers: Record<string, string[]>;
  subject: string;
  text: string | undefined;
  html: string | undefined;
}

interface Part {
  headers: Record<string, string[]>;
  body: string;
}

/** Reads a mail of one part, or of alternatives (RFC 2045, RFC 2046). */
export function readMail(raw: string): ReadMail {
  const mail = readPart(raw);
  const parts = leavesOf(mail);
  return {
    raw,
    headers: mail.headers,
    subject: first(mail, 'subject'),
    text: contentOf(parts, 'text/plain'),
    html: contentOf(parts, 'text/html'),
  };
}

function readPart(text: string): Part {
  const end = text.indexOf('\r\n\r\n');
  const head = end < 0 ? text : text.slice(0, end);
  const headers: Record<string, string[]> = {};
  for (const line of head.replace(/\r\n[ \t]+/g, ' ').split('\r\n')) {
    const [, name = '', value = ''] = /^([^:]+):\s*(.*)$/.exec(line) ?? [];
    (headers[name.toLowerCase()] ??= []).push(value);
  }
  return { headers, body: end < 0 ? '' : text.slice(end + 4) };
}

function leavesOf(part: Part): Part[] {
  const boundary = /^multipart\/.*boundary="([^"]+)"/.exec(first(part, 'content-type'))?.[1];
  if (boundary === undefined) return [part];
  return part.body
    .split(`--${boundary}`)
    .slice(1, -1)
    .flatMap((text) => leavesOf(readPart(text.replace(/^\r\n/, '').replace(/\r\n$/, ''))));
}

function contentOf(parts: readonly Part[], mediaType: string): string | undefined {
  const part = parts.find((candidate) => first(candidate, 'content-type').startsWith(mediaType));
  return part && decode(part.body, first(part, 'content-transfer-encoding')).replaceAll('\r\n', '\n');
}

function decode(body: string, encoding: string): string {
  if (encoding === 'base64') return Buffer.from(body, 'base64').toString();
  if (encoding !== 'quoted-printable') return body;
  const bytes = body
    .replace(/=\r\n/g, '')
    .replace(/=([0-9A-F]{2})/g, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));
  return Buffer.from(bytes, 'latin1').toString();
}

function first(part: Part, name: string): string {
  return part.headers[name]?.[0] ?? '';
}
