import { createTransport } from 'nodemailer';
import type { MailSettings } from './mailer';
import { toSmtpOptions } from './smtp-options';

/**
 * Connects to the mail server and signs in there where it asks for that; sends nothing. Throws what `toMailFailure`
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
