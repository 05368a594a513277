/** The languages of the console, the mails and the pages for signing in, by their names in themselves. */
export const LANGUAGES = { en: 'English', de: 'Deutsch' } as const;

export type Language = keyof typeof LANGUAGES;

export const DEFAULT_LANGUAGE = 'en' satisfies Language;

export const isLanguage = (value: unknown): value is Language =>
  typeof value === 'string' && Object.hasOwn(LANGUAGES, value);

/** The first language that there is of those that a person prefers, given as `de-AT`; English without any. */
export function pickLanguage(preferred: readonly string[]): Language {
  return preferred.map((tag) => tag.toLowerCase().split('-')[0]).find(isLanguage) ?? DEFAULT_LANGUAGE;
}
