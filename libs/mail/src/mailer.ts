import { createTransport } from 'nodemailer';
import type { MailMessage } from './mail-message';
import { toSmtpOptions } from './smtp-options';

export interface MailSettings {
  /** `smtp://` or `smtps://`, with user and password where the server asks for them. */
  url: string;
  from: { name: string; address: string };
}

/** Hands mails to a mail server. */
export interface Mailer {
  /** Resolves when the server has taken the mail. Throws what `toMailFailure` reads. */
  send(message: MailMessage, signal?: AbortSignal): Promise<void>;
}

/** A mailer that opens a connection for each mail. */
export function createMailer({ url, from }: MailSettings): Mailer {
  const transport = createTransport(toSmtpOptions(url));
  return {
    async send({ to, subject, text, html }, signal) {
      await transport.sendMail({
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
