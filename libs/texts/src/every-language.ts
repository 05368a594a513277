import { fill } from './fill';
import { german } from './german';
import type { Language } from './languages';
import type { Catalogue, Texts } from './text';

export type { Texts } from './text';

const CATALOGUES: Readonly<Record<Language, Catalogue | undefined>> = {
  // Its texts are the keys of the others.
  en: undefined,
  de: german,
};

/** For programs that have every language at hand. */
export function textsIn(language: Language): Texts {
  const catalogue = CATALOGUES[language];
  return { language, t: (text, ...[values]) => fill(catalogue?.[text] ?? text, values ?? {}, language) };
}
