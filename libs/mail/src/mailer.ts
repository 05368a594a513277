import type { SMTPTransportOptions } from 'nodemailer';

/** A mail to one person. */
export interface MailMessage {
  /** A bare address, as `emailAddress` of the contracts accepts it. */
  to: string;
  subject: string;
  /** The same content twice, as plain text and as HTML. */
  text: string;
  html: string;
}

interface MailSettings {
  /** `smtp://` or `smtps://`, with user and password if the server needs them. */
  url: string;
  from: { name: string; address: string };
}

interface Sending {
  /**
   * Identifies the mail: a mail that is sent twice has the same Message-ID, so that many mailboxes keep only
   * one.
   */
  id: string;
  /** Gives up. The server may have accepted the mail all the same. */
  signal?: AbortSignal;
}

/** Hands mails to a mail server. */
export interface Mailer {
  /** Resolves when the server has accepted the mail. Throws errors for `toMailFailure`. */
  send(message: MailMessage, sending: Sending): Promise<void>;
}

/** A mailer that opens a connection per mail. */
export function createMailer({ url, from }: MailSettings): Mailer {
  const options = toSmtpOptions(url);
  const domain = from.address.slice(from.address.lastIndexOf('@') + 1);
  return {
    async send({ to, subject, text, html }, { id, signal }) {
      const { createTransport } = await import('nodemailer');
      await createTransport(options).sendMail({
        messageId: `<${id}@${domain}>`,
        from,
        // Not a string: one with a comma or a bracket would be parsed as a list of addresses.
        to: { name: '', address: to },
        subject,
        text,
        html,
        // RFC 3834: a machine wrote this, so no out-of-office reply must be sent to it.
        headers: { 'Auto-Submitted': 'auto-generated' },
        ...(signal && { signal }),
      });
    },
  };
}

/**
 * Connects to the mail server and signs in if it requires that; sends nothing. Throws errors for
 * `toMailFailure`.
 */
export async function reachMailServer({ url }: Pick<MailSettings, 'url'>): Promise<void> {
  const { createTransport } = await import('nodemailer');
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
 * Nodemailer's options for `smtp://user:password@host:587` or `smtps://…:465`. Over `smtp://`, TLS is used if
 * the server offers it, and required if a password would go to another machine. Throws `URIError` for broken
 * percent-encoding.
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
    // Messages must not name a file or an address to fetch, which could leak data of this machine.
    disableFileAccess: true,
    disableUrlAccess: true,
  };
}

function isThisMachine(host: string): boolean {
  return host === 'localhost' || host === '::1' || /^127\.\d+\.\d+\.\d+$/.test(host);
}

/**
 * Why a mail was not sent, without secrets. The server's words are left out: they name the recipient, and
 * some servers quote links that they reject.
 */
export interface MailFailure {
  /** Nodemailer's code, such as `ECONNECTION` or `EENVELOPE`. */
  reason: string;
  /** The reply of the mail server. Source: RFC 5321, section 4.2. */
  smtpStatus: number | undefined;
  /** The server would not accept this mail later either. A refused password does not count. */
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
