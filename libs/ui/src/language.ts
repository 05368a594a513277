import {
  fill,
  isLanguage,
  pickLanguage,
  type Catalogue,
  type Language,
  type PartsOf,
  type PlainText,
  type Text,
  type ValuesOf,
} from '@farebox/texts';
import { createElement, Fragment, useEffect, useSyncExternalStore, type ReactNode } from 'react';

/** The choice of the account that was last signed in here: the sign-in page and the first paint use it. */
const CHOSEN_KEY = 'farebox.language';

let language: Language = 'en';
/** The texts of the language. English has none, since its texts are the keys of the others. */
let catalogue: Catalogue | undefined;
const listeners = new Set<() => void>();

/** The language of the console. Everything is rendered again when it changes. */
export const languageNow = (): Language => language;

/** A text in the language of the console. Call it while rendering: what a module keeps stays as it was. */
export const t = <T extends Text>(text: T, ...[values]: ValuesOf<T>): string =>
  fill(catalogue?.[text] ?? text, values ?? {}, language);

/** A name that has no translation: in a console that speaks English alone. */
export type English = string & { readonly isEnglish: true };

/** The name of a column or a fact. */
export type Name = PlainText | English;

export const inEnglish = (name: string): English => name as English;

/** A name as it is shown. */
export const nameOf = (name: Name): string => catalogue?.[name as PlainText] ?? name;

const PARTS = /(\{\w+\}|<\w+>[^<]*<\/\w+>)/;
const PART = /^(?:\{(\w+)\}|<(\w+)>([^<]*)<\/\w+>)$/;

/** A text with elements in it: `{name}` is one, and `<name>…</name>` is one around words. */
export function rich<T extends Text>(
  text: T,
  parts: PartsOf<T, ReactNode, (words: string) => ReactNode>,
): ReactNode {
  const given = parts as Readonly<Record<string, ReactNode | ((words: string) => ReactNode)>>;
  return (catalogue?.[text] ?? text).split(PARTS).map((piece, i) => {
    const [, value, element, words = ''] = PART.exec(piece) ?? [];
    const part = given[value ?? element ?? ''];
    return createElement(Fragment, { key: i }, typeof part === 'function' ? part(words) : (part ?? piece));
  });
}

/** Each is a file of its own, which only those who read it load. */
const CATALOGUES: Record<Language, () => Promise<Catalogue | undefined>> = {
  en: () => Promise.resolve(undefined),
  de: () => import('@farebox/texts/german').then(({ german }) => german),
};

/** Shows the console in another language; in the former one if its file cannot be loaded. */
async function show(next: Language): Promise<void> {
  try {
    catalogue = await CATALOGUES[next]();
    language = next;
  } catch {
    // Most likely the network is away: the next load tries again.
  }
  document.documentElement.lang = language;
  for (const listener of listeners) listener();
}

/** Before the first paint: the language that was chosen here, or the first of the browser that there is. */
export function startLanguage(): Promise<void> {
  const chosen = localStorage.getItem(CHOSEN_KEY);
  return show(isLanguage(chosen) ? chosen : pickLanguage(navigator.languages));
}

/** The account's choice wins over the browser's; null is none. */
export async function chooseLanguage(chosen: Language | null): Promise<void> {
  if (chosen === null) localStorage.removeItem(CHOSEN_KEY);
  else localStorage.setItem(CHOSEN_KEY, chosen);
  const next = chosen ?? pickLanguage(navigator.languages);
  if (next !== language) await show(next);
}

/** Follows the setting of the account, once it is known. */
export function useLanguageOf(account: { language: Language | null } | undefined): void {
  const chosen = account?.language;
  useEffect(() => {
    if (chosen !== undefined) void chooseLanguage(chosen);
  }, [chosen]);
}

/** For what renders everything again. */
export const useLanguage = (): Language =>
  useSyncExternalStore((listener) => {
    listeners.add(listener);
    return () => listeners.delete(listener);
  }, languageNow);
