import { z } from 'zod';

/** Control characters, and halves of surrogate pairs, which PostgreSQL cannot store. */
const UNFIT_CHARACTER = /[\p{Cc}\p{Cs}]/u;

/** A text for people that a client sends: a name. White space around it is dropped. Lengths are in UTF-16 units. */
export function oneLineText(maxLength: number) {
  const message = `must be a text of 1 to ${String(maxLength)} characters without control characters`;
  return z
    .string(message)
    .trim()
    .min(1, message)
    .max(maxLength, message)
    .refine((text) => !UNFIT_CHARACTER.test(text), message);
}
