import type { SMTPTransportOptions } from 'nodemailer';

const SUBMISSION_PORT = 587;
const SUBMISSIONS_PORT = 465;
const STEP_TIMEOUT_MS = 10_000;
const SILENCE_TIMEOUT_MS = 20_000;

/**
 * What nodemailer needs to know of `smtp://user:password@host:587` or `smtps://…:465`. Over `smtp://`, TLS is begun
 * where the server offers it, and insisted on where a password would go to another machine. Throws `URIError` for
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
