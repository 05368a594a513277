import { z } from 'zod';
import { ConfigError } from './load-config';
import { DEFAULT_PUBLIC_URL, publicUrl } from './public-url';

const ADDRESS = /^[A-Za-z0-9.!#$%&'*+/=?^_`{|}~-]{1,64}@[A-Za-z0-9.-]{1,189}$/;
const NAME_AND_ADDRESS = /^([^<>\p{Cc}]{0,100})<([^<>]*)>$/u;

export interface MailConfig {
  url: string;
  from: { name: string; address: string };
}

/** The address of a mail server, `smtps://user:password@host` or `smtp://host:587`. */
export function mailUrl() {
  return z.string().refine((text) => isMailUrl(text), 'must be a URL like smtps://user:password@host:465');
}

/** Who mails come from: `Farebox <farebox@example.com>`, or the address alone. */
export function mailFrom() {
  return z.string().transform((text, context): MailConfig['from'] => {
    const [, name = '', address = text] = NAME_AND_ADDRESS.exec(text) ?? [];
    if (ADDRESS.test(address)) return { name: name.trim(), address };
    context.addIssue({
      code: 'custom',
      message: 'must be an address, or like Farebox <farebox@example.com>',
    });
    return z.NEVER;
  });
}

/** The variables of whatever writes mails with links. */
export const mailVariables = {
  FAREBOX_PUBLIC_URL: publicUrl().optional(),
  FAREBOX_MAIL_URL: mailUrl().optional(),
  FAREBOX_MAIL_FROM: mailFrom().optional(),
};

type MailValues = z.output<z.ZodObject<typeof mailVariables>>;

/**
 * What those variables come to; without a mail server no mail is sent. Throws `ConfigError` where there is one, and
 * either the sender or the address that links lead to is not said.
 */
export function toMailConfig(values: MailValues): { publicUrl: string; mail: MailConfig | undefined } {
  const { FAREBOX_PUBLIC_URL: base, FAREBOX_MAIL_URL: url, FAREBOX_MAIL_FROM: from } = values;
  if (url === undefined) return { publicUrl: base ?? DEFAULT_PUBLIC_URL, mail: undefined };
  if (base === undefined || from === undefined) {
    const missing = [
      ...(base === undefined ? ['FAREBOX_PUBLIC_URL'] : []),
      ...(from === undefined ? ['FAREBOX_MAIL_FROM'] : []),
    ];
    throw new ConfigError(missing.map((name) => `${name} is required where FAREBOX_MAIL_URL is set.`));
  }
  return { publicUrl: base, mail: { url, from } };
}

function isMailUrl(text: string): boolean {
  if (!URL.canParse(text)) return false;
  const { protocol, hostname, username, password } = new URL(text);
  return ['smtp:', 'smtps:'].includes(protocol) && hostname !== '' && isDecodable(username + password);
}

function isDecodable(text: string): boolean {
  try {
    decodeURIComponent(text);
    return true;
  } catch {
    return false;
  }
}
