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
