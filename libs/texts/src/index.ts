export { nameBrowserIn } from './browsers';
export { fill } from './fill';
export { DEFAULT_LANGUAGE, isLanguage, LANGUAGES, pickLanguage, type Language } from './languages';
export type { Catalogue, PartsOf, PlainText, Text, Texts, ValuesOf } from './text';
