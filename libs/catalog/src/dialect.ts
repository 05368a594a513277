import { z } from 'zod';

/** The wire of an upstream: chat completions, OpenAI's Responses, or Anthropic's messages. */
export const WIRES = ['chat', 'responses', 'messages'] as const;
export type UpstreamWire = (typeof WIRES)[number];

/** How a server differs from others of its wire. docs/operate/catalog.md says what each value does. */
const values = {
  role_developer: z.enum(['system', 'developer']),
  role_system: z.enum(['system', 'user']),
  call_ids: z.enum(['any', 'alphanumeric_9']),
  call_signatures: z.enum(['returned', 'google', 'none']),
  history_reasoning: z.enum(['reasoning_content', 'reasoning', 'reasoning_details', 'none']),
  refusal: z.enum(['field', 'text']),
  message_names: z.enum(['kept', 'none']),
  thinking: z.enum(['budget', 'adaptive']),
  custom_tools: z.enum(['passed', 'functions']),
  auth: z.enum(['usual', 'api-key']),
  api_version: z.string().regex(/^[A-Za-z0-9._-]{1,64}$/, 'must be 1 to 64 letters, digits or ._-'),
  seed_field: z.enum(['seed', 'random_seed']),
  omit: z.array(z.string().regex(/^[a-z][a-z0-9_]{0,63}$/, 'must be the name of a field')).max(32),
} as const;

/** As the catalogue file has it. */
export const dialectEntry = z.strictObject(values).partial();

export interface Dialect {
  /** Under which role it takes what a developer says. Most know no other, and those that do read `system` as it. */
  roleDeveloper: 'system' | 'developer';
  /** Under which role a server of messages takes what the system says between turns. Newer models take it as it is. */
  roleSystem: 'system' | 'user';
  /** The ids of tool calls that it takes. */
  callIds: 'any' | 'alphanumeric_9';
  /**
   * What came with a call of its own (`extra_content`) is returned; `google`: and a call without it, another server's, says
   * that it has none.
   */
  callSignatures: 'returned' | 'google' | 'none';
  /** In which field it takes what was thought in former turns. */
  historyReasoning: 'reasoning_content' | 'reasoning' | 'reasoning_details' | 'none';
  /** Whether a refusal in the history has a field of its own. */
  refusal: 'field' | 'text';
  /** Whether messages may name who speaks. */
  messageNames: 'kept' | 'none';
  /** How a model of messages is asked to think. */
  thinking: 'budget' | 'adaptive';
  /** Whether a server of Responses takes tools whose input is a text. */
  customTools: 'passed' | 'functions';
  /** The header of its secret: `usual` is that of its wire. */
  auth: 'usual' | 'api-key';
  /** The query `api-version`; none if it is undefined. */
  apiVersion?: string | undefined;
  seedField: 'seed' | 'random_seed';
  /** Fields of a body that it refuses: they are left out. */
  omit: readonly string[];
}

export const USUAL_DIALECT: Dialect = {
  roleDeveloper: 'system',
  roleSystem: 'system',
  callIds: 'any',
  callSignatures: 'returned',
  historyReasoning: 'reasoning_content',
  refusal: 'field',
  messageNames: 'kept',
  thinking: 'budget',
  customTools: 'passed',
  auth: 'usual',
  seedField: 'seed',
  omit: [],
};

export function toDialect(entry: z.output<typeof dialectEntry>, preset: Dialect = USUAL_DIALECT): Dialect {
  return {
    roleDeveloper: entry.role_developer ?? preset.roleDeveloper,
    roleSystem: entry.role_system ?? preset.roleSystem,
    callIds: entry.call_ids ?? preset.callIds,
    callSignatures: entry.call_signatures ?? preset.callSignatures,
    historyReasoning: entry.history_reasoning ?? preset.historyReasoning,
    refusal: entry.refusal ?? preset.refusal,
    messageNames: entry.message_names ?? preset.messageNames,
    thinking: entry.thinking ?? preset.thinking,
    customTools: entry.custom_tools ?? preset.customTools,
    auth: entry.auth ?? preset.auth,
    ...((entry.api_version ?? preset.apiVersion) !== undefined && {
      apiVersion: entry.api_version ?? preset.apiVersion,
    }),
    seedField: entry.seed_field ?? preset.seedField,
    omit: entry.omit ?? preset.omit,
  };
}

/** As the catalogue file names the fields, for the difference between two catalogues; null if all is usual. */
export function toDialectText(dialect: Dialect): string | null {
  const usual: Record<string, unknown> = { ...USUAL_DIALECT };
  const said = Object.entries(dialect)
    .filter(([field, value]) => JSON.stringify(value) !== JSON.stringify(usual[field]))
    .map(([field, value]) => `${toFileName(field)}: ${String(value)}`);
  return said.length === 0 ? null : said.join(', ');
}

const toFileName = (field: string): string => field.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
