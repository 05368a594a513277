/** HTML that is safe to put into a page: made by `html` alone, which escapes what it is given. */
export class Html {
  readonly text: string;
  constructor(text: string) {
    this.text = text;
  }
}

type Part = Html | string | number | undefined | readonly Part[];

/** A piece of a page. Text in it is escaped, other pieces are not. */
export function html(strings: TemplateStringsArray, ...parts: readonly Part[]): Html {
  return new Html(strings.map((literal, i) => literal + (i < parts.length ? render(parts[i]) : '')).join(''));
}

function render(part: Part): string {
  if (part === undefined) return '';
  if (part instanceof Html) return part.text;
  if (isList(part)) return part.map(render).join('');
  return escape(String(part));
}

const isList = (part: Part): part is readonly Part[] => Array.isArray(part);

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

const escape = (text: string): string => text.replace(/[&<>"']/g, (character) => ENTITIES[character] ?? '');

/** The little of CommonMark that the descriptions use: paragraphs, **strong** and `code`. */
export function prose(text: string): Html {
  const paragraphs = text.split('\n\n').map((paragraph) => html`<p>${inline(paragraph)}</p>`);
  return html`${paragraphs}`;
}

/** One paragraph of `prose`, without its tags. */
export function inline(text: string): Html {
  const pieces = text.split(/(\*\*[^*]+\*\*|`[^`]+`)/);
  return html`${pieces.map((piece) => {
    if (piece.startsWith('**') && piece.length > 4)
      return html`<strong>${inline(piece.slice(2, -2))}</strong>`;
    if (piece.startsWith('`') && piece.length > 2) return html`<code>${piece.slice(1, -1)}</code>`;
    return html`${piece}`;
  })}`;
}
