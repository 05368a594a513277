import type { Language } from './languages';

/** A value, or a choice by a number, which has no other value in it. */
const PLACE = /\{(\w+)(?:, plural,((?: \w+ \{[^{}]*\})+))?\}/g;

/**
 * A text with its values. Of ICU's message format it knows the two forms that the texts use: `{name}`, and
 * `{count, plural, one {# request} other {# requests}}`, with the plural categories of the language.
 */
export function fill(
  pattern: string,
  values: Readonly<Record<string, string | number>>,
  language: Language,
): string {
  return pattern.replace(PLACE, (place, name: string, forms?: string) => {
    const value = values[name] ?? place;
    return forms === undefined ? String(value) : choose(forms, Number(value), language);
  });
}

function choose(forms: string, count: number, language: Language): string {
  const category = new Intl.PluralRules(language).select(count);
  const formOf = (name: string): string | undefined =>
    new RegExp(`\\b${name} \\{([^{}]*)\\}`).exec(forms)?.[1];
  const form = formOf(category) ?? formOf('other') ?? '';
  return form.replace('#', () => new Intl.NumberFormat(language).format(count));
}
