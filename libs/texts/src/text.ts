import type { german } from './german';
import type { Language } from './languages';

/** An English text. It is the key of its translations: all of them are in `./german`. */
export type Text = keyof typeof german;

/** The translations of one language. A text that is missing is a type error where it is used. */
export type Catalogue = Readonly<Record<Text, string>>;

/** The names of the values in a text: `{name}`, or `{count, plural, one {# request} other {# requests}}`. */
type NamesIn<T> = T extends `${string}{${infer Inside}}${infer Rest}`
  ? | (Inside extends `${infer Name}, plural, ${string}`
        ? Name
        : Inside extends `${string}${' ' | '#'}${string}`
          ? never
          : Inside)
    | NamesIn<Rest>
  : never;

/** The names of the elements in a text: `<link>…</link>`. */
type TagsIn<T> = T extends `${string}</${infer Name}>${infer Rest}` ? Name | TagsIn<Rest> : never;

/** A text without values, such as the name of a column. */
export type PlainText = {
  [T in Text]: [NamesIn<T> | TagsIn<T>] extends [never] ? T : never;
}[Text];

/** The values that a text needs, as the further arguments of a function. */
export type ValuesOf<T extends Text> = [NamesIn<T>] extends [never]
  ? []
  : [values: Readonly<Record<NamesIn<T>, string | number>>];

/** The values and the elements of a text, each by its name. */
export type PartsOf<T extends Text, Value, Element> = Readonly<
  Record<NamesIn<T>, Value> & Record<TagsIn<T>, Element>
>;

/** Writes texts in one language. */
export interface Texts {
  language: Language;
  t: <T extends Text>(text: T, ...values: ValuesOf<T>) => string;
}
