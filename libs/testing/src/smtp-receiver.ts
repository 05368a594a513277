import { once } from 'node:events';
import { createServer, type Socket } from 'node:net';
import { createInterface } from 'node:readline';

interface ReceivedMail extends ReadMail {
  /** The envelope sender. */
  from: string;
  recipients: string[];
  /** As `user:password`, if the sender signed in. */
  credentials: string | undefined;
}

/**
 * A mail server for a test, which accepts mails over SMTP (RFC 5321) and keeps them. `smtp-server` would replace only
 * `serve`, for three more packages: most of this file reads mails.
 */
export interface SmtpReceiver {
  port: number;
  url: string;
  mails: ReceivedMail[];
  /** A reply that refuses the content of a mail, e.g. `451 later`. Called once per mail. */
  refuse: (() => string | undefined) | undefined;
  /** A reply that refuses a sign-in, e.g. `535 no`. */
  refuseSignIn: string | undefined;
  /** Awaited before it accepts or refuses a mail. */
  beforeTaking: (() => Promise<void>) | undefined;
  /** The mails to an address, once there are `count`. Waits for a bounded time. */
  mailsTo(address: string, count?: number): Promise<ReceivedMail[]>;
  close(): Promise<void>;
}

const LONGEST_WAIT_MS = 60_000;

export async function startSmtpReceiver(): Promise<SmtpReceiver> {
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket.on('error', () => undefined).on('close', () => sockets.delete(socket)));
    serve(socket, receiver);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as { port: number };

  const receiver: SmtpReceiver = {
    port,
    url: `smtp://127.0.0.1:${String(port)}`,
    mails: [],
    refuse: undefined,
    refuseSignIn: undefined,
    beforeTaking: undefined,
    async mailsTo(address, count = 1) {
      const deadlineMs = Date.now() + LONGEST_WAIT_MS;
      for (;;) {
        const found = receiver.mails.filter((mail) => mail.recipients.includes(address));
        if (found.length >= count) return found;
        if (Date.now() > deadlineMs) throw new Error(`${String(found.length)} mails came for ${address}`);
        await new Promise((resolve) => setTimeout(resolve, 10));
      }
    },
    async close() {
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, 'close');
    },
  };
  return receiver;
}

interface Envelope {
  from: string;
  recipients: string[];
  /** Lines of the content while it is being received. */
  content: string[] | undefined;
}

const emptyEnvelope = (): Envelope => ({ from: '', recipients: [], content: undefined });

function serve(socket: Socket, receiver: SmtpReceiver): void {
  let envelope = emptyEnvelope();
  let credentials: string | undefined;
  const say = (reply: string): void => {
    socket.write(`${reply}\r\n`);
  };

  async function take({ from, recipients }: Envelope, content: readonly string[]): Promise<void> {
    await receiver.beforeTaking?.();
    const refusal = receiver.refuse?.();
    if (refusal === undefined) {
      receiver.mails.push({ from, recipients, credentials, ...readMail(content.join('\r\n')) });
    }
    say(refusal ?? '250 OK');
  }

  function obey(line: string): void {
    const [verb = '', argument = ''] = line.split(/ (.*)/s);
    switch (verb.toUpperCase()) {
      case 'EHLO':
        say('250-receiver.test\r\n250-AUTH PLAIN\r\n250 8BITMIME');
        return;
      case 'AUTH':
        credentials = Buffer.from(argument.replace(/^PLAIN /, ''), 'base64')
          .toString()
          .split('\0')
          .slice(1)
          .join(':');
        say(receiver.refuseSignIn ?? '235 welcome');
        return;
      case 'MAIL':
        envelope = { ...emptyEnvelope(), from: addressIn(argument) };
        say('250 OK');
        return;
      case 'RCPT':
        envelope.recipients.push(addressIn(argument));
        say('250 OK');
        return;
      case 'DATA':
        envelope.content = [];
        say('354 go on');
        return;
      case 'RSET':
      case 'NOOP':
        say('250 OK');
        return;
      case 'QUIT':
        say('221 bye');
        socket.end();
        return;
      default:
        say('502 not known');
    }
  }

  say('220 receiver.test ESMTP');
  createInterface({ input: socket, crlfDelay: Infinity }).on('line', (line) => {
    if (!envelope.content) obey(line);
    else if (line === '.') {
      void take(envelope, envelope.content);
      envelope = emptyEnvelope();
    }
    // A leading dot was doubled. Source: RFC 5321, section 4.5.2.
    else envelope.content.push(line.startsWith('.') ? line.slice(1) : line);
  });
}

function addressIn(argument: string): string {
  return /<([^>]*)>/.exec(argument)?.[1] ?? '';
}

/** A mail as a mail program shows it. */
interface ReadMail {
  /** Exactly as it was sent. */
  raw: string;
  /** By name in lower case, unfolded. Repeated headers become a list. */
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
function readMail(raw: string): ReadMail {
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
