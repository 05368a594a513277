import { createTransport, type SMTPTransportOptions } from 'nodemailer';

/** A mail to one person. */
export interface MailMessage {
  /** An address alone, as `emailAddress` of the contracts lets it pass. */
  to: string;
  subject: string;
  /** The same content twice, for who reads plain text and for who reads HTML. */
  text: string;
  html: string;
}

interface MailSettings {
  /** `smtp://` or `smtps://`, with user and password if the server asks for them. */
  url: string;
  from: { name: string; address: string };
}

interface Sending {
  /** Names the mail: one that is sent twice has the same Message-ID, by which many mailboxes keep one of them. */
  id: string;
  /** Gives up. The server may have taken the mail all the same. */
  signal?: AbortSignal;
}

/** Hands mails to a mail server. */
export interface Mailer {
  /** Resolves when the server has taken the mail. Throws what `toMailFailure` reads. */
  send(message: MailMessage, sending: Sending): Promise<void>;
}

/** A mailer that opens a connection for each mail. */
export function createMailer({ url, from }: MailSettings): Mailer {
  const transport = createTransport(toSmtpOptions(url));
  const domain = from.address.slice(from.address.lastIndexOf('@') + 1);
  return {
    async send({ to, subject, text, html }, { id, signal }) {
      await transport.sendMail({
        messageId: `<${id}@${domain}>`,
        from,
        // Not a text: one with a comma or a bracket in it would be read as a list of addresses.
        to: { name: '', address: to },
        subject,
        text,
        html,
        // RFC 3834: a machine wrote this, and nobody's absence is to be answered to it.
        headers: { 'Auto-Submitted': 'auto-generated' },
        ...(signal && { signal }),
      });
    },
  };
}

/**
 * Connects to the mail server and signs in there if it asks for that; sends nothing. Throws what `toMailFailure`
 * reads.
 */
export async function reachMailServer({ url }: Pick<MailSettings, 'url'>): Promise<void> {
  const transport = createTransport(toSmtpOptions(url));
  try {
    await transport.verify();
  } finally {
    transport.close();
  }
}

const SUBMISSION_PORT = 587;
const SUBMISSIONS_PORT = 465;
const STEP_TIMEOUT_MS = 10_000;
const SILENCE_TIMEOUT_MS = 20_000;

/**
 * What nodemailer needs to know of `smtp://user:password@host:587` or `smtps://…:465`. Over `smtp://`, TLS is begun
 * if the server offers it, and insisted on if a password would go to another machine. Throws `URIError` for
 * broken percent-encoding.
 */
export function toSmtpOptions(url: string): SMTPTransportOptions {
  const { protocol, hostname, port, username, password } = new URL(url);
  const secure = protocol === 'smtps:';
  const host = hostname.replace(/^\[|\]$/g, '');
  const auth = { user: decodeURIComponent(username), pass: decodeURIComponent(password) };
  return {
    host,
    port: port === '' ? (secure ? SUBMISSIONS_PORT : SUBMISSION_PORT) : Number(port),
    secure,
    requireTLS: !secure && username !== '' && !isThisMachine(host),
    ...(username !== '' && { auth }),
    connectionTimeout: STEP_TIMEOUT_MS,
    greetingTimeout: STEP_TIMEOUT_MS,
    dnsTimeout: STEP_TIMEOUT_MS,
    socketTimeout: SILENCE_TIMEOUT_MS,
    // A message never names a file or an address to fetch: it could be made to carry what this machine can read.
    disableFileAccess: true,
    disableUrlAccess: true,
  };
}

function isThisMachine(host: string): boolean {
  return host === 'localhost' || host === '::1' || /^127\.\d+\.\d+\.\d+$/.test(host);
}

/**
 * Why a mail was not sent, as far as it may be known. A server's words are not part of it: they name the recipient, and
 * some servers quote the links that they do not like.
 */
export interface MailFailure {
  /** Nodemailer's code, such as `ECONNECTION` or `EENVELOPE`. */
  reason: string;
  /** The reply of the mail server. Source: RFC 5321, section 4.2. */
  smtpStatus: number | undefined;
  /** The server will not take this mail later either. A password that it refuses is another matter. */
  isPermanent: boolean;
}

const FIRST_PERMANENT_STATUS = 500;
/** Source: nodemailer, lib/errors. */
const NOT_SIGNED_IN = new Set<unknown>(['EAUTH', 'ENOAUTH', 'EOAUTH2']);

export function toMailFailure(thrown: unknown): MailFailure {
  const smtpStatus = valueIn(thrown, 'responseCode');
  const code = valueIn(thrown, 'code');
  return {
    reason: typeof code === 'string' && /^[A-Z0-9_]{1,40}$/.test(code) ? code : 'unknown',
    smtpStatus: typeof smtpStatus === 'number' ? smtpStatus : undefined,
    isPermanent:
      typeof smtpStatus === 'number' && smtpStatus >= FIRST_PERMANENT_STATUS && !NOT_SIGNED_IN.has(code),
  };
}

function valueIn(thrown: unknown, key: string): unknown {
  return typeof thrown === 'object' && thrown !== null
    ? Object.getOwnPropertyDescriptor(thrown, key)?.value
    : undefined;
}
