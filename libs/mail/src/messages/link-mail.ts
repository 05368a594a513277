import type { MailMessage } from '../mail-message';
import { toHtmlText } from './html-text';
import { toHtmlMail, toTextMail } from './paragraphs';

export interface LinkMail {
  to: string;
  subject: string;
  /** Sentences before the link. */
  before: readonly string[];
  /** The words of the link. */
  action: string;
  link: string;
  /** Sentences after the link. */
  after: readonly string[];
}

/** A short mail around one link, in both forms. */
export function writeLinkMail({ to, subject, before, action, link, after }: LinkMail): MailMessage {
  const paragraphs = [
    ...before.map(toHtmlText),
    `<a href="${toHtmlText(link)}">${toHtmlText(action)}</a>`,
    ...after.map(toHtmlText),
  ];
  return {
    to,
    subject,
    text: toTextMail([...before, link, ...after]),
    html: toHtmlMail(subject, paragraphs),
  };
}
