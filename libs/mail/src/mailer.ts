import { createTransport } from 'nodemailer';
import type { MailMessage } from './mail-message';
import { toSmtpOptions } from './smtp-options';

export interface MailSettings {
  /** `smtp://` or `smtps://`, with user and password where the server asks for them. */
  url: string;
  from: { name: string; address: string };
}

export interface Sending {
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
