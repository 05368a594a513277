import type { MailMessage } from '../mail-message';
import { toHtmlText } from './html-text';

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
    text: [...before, link, ...after].map((paragraph) => `${paragraph}\n`).join('\n'),
    html: `<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><title>${toHtmlText(subject)}</title></head>
<body style="font-family: sans-serif; line-height: 1.5">
${paragraphs.map((paragraph) => `<p>${paragraph}</p>`).join('\n')}
</body>
</html>
`,
  };
}
