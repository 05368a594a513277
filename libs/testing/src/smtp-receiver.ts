import { createServer, type Socket } from 'node:net';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { readMail, type ReadMail } from './read-mail';

export interface ReceivedMail extends ReadMail {
  /** Of the envelope. */
  from: string;
  recipients: string[];
  /** As `user:password`, where the sender signed in. */
  credentials: string | undefined;
}

/** A mail server of a test's own, which takes mails over SMTP (RFC 5321) and keeps them. */
export interface SmtpReceiver {
  port: number;
  url: string;
  mails: ReceivedMail[];
  /** What it answers to the content of a mail, other than that it took it, e.g. `451 later`. Called once a mail. */
  refuse: (() => string | undefined) | undefined;
  /** What it answers to who signs in, other than that he is welcome, e.g. `535 no`. */
  refuseSignIn: string | undefined;
  /** What it waits for before it takes or refuses a mail. */
  beforeTaking: (() => Promise<void>) | undefined;
  /** The mails to an address, when there are so many. Waits for a bounded time. */
  mailsTo(address: string, count?: number): Promise<ReceivedMail[]>;
  close(): Promise<void>;
}

const LONGEST_WAIT_MS = 10_000;

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
  /** Lines of the content, while it comes. */
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
    // A dot at the beginning was doubled. Source: RFC 5321, section 4.5.2.
    else envelope.content.push(line.startsWith('.') ? line.slice(1) : line);
  });
}

function addressIn(argument: string): string {
  return /<([^>]*)>/.exec(argument)?.[1] ?? '';
}
