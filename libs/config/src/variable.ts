import type { z } from 'zod';

/** What is deployed, in the order in which the manual names it. */
export const APPS = ['gateway', 'account', 'worker', 'admin', 'edge', 'migration'] as const;
export type App = (typeof APPS)[number];

/** A variable: its meaning for an operator, in Markdown, and its schema for each app that reads it. */
export type Variable = Readonly<{ meaning: string } & Partial<Record<App, z.ZodType>>>;

/** The same schema for several apps. */
export function readBy<const Readers extends readonly App[], Schema extends z.ZodType>(
  readers: Readers,
  schema: Schema,
): Readonly<Record<Readers[number], Schema>> {
  return Object.fromEntries(readers.map((reader) => [reader, schema])) as Record<Readers[number], Schema>;
}
