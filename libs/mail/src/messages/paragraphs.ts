import { toHtmlText } from './html-text';

export function toTextMail(paragraphs: readonly string[]): string {
  return paragraphs.map((paragraph) => `${paragraph}\n`).join('\n');
}

/** The paragraphs are HTML already. */
export function toHtmlMail(subject: string, paragraphs: readonly string[]): string {
  return `<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><title>${toHtmlText(subject)}</title></head>
<body style="font-family: sans-serif; line-height: 1.5">
${paragraphs.map((paragraph) => `<p>${paragraph}</p>`).join('\n')}
</body>
</html>
`;
}
