import { z } from 'zod';

/** The wire of an upstream: chat completions, OpenAI's Responses, or Anthropic's messages. */
export const WIRES = ['chat', 'responses', 'messages'] as const;
export type UpstreamWire = (typeof WIRES)[number];

/** How a server differs from others of its wire. docs/operate/catalog.md explains each value. */
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

/** As written in the catalogue file. */
export const dialectEntry = z.strictObject(values).partial();

export interface Dialect {
  /**
   * The role for developer messages. Most servers know only `system`; the others read `system` as
   * `developer`.
   */
  roleDeveloper: 'system' | 'developer';
  /** The role for system messages between turns on a messages server. Newer models accept `system` there. */
  roleSystem: 'system' | 'user';
  /** The tool call ids that it accepts. */
  callIds: 'any' | 'alphanumeric_9';
  /**
   * Whether a call's `extra_content` is sent back to its server. `google`: a call of another server is also
   * marked as having none.
   */
  callSignatures: 'returned' | 'google' | 'none';
  /** The field for the reasoning of former turns. */
  historyReasoning: 'reasoning_content' | 'reasoning' | 'reasoning_details' | 'none';
  /** Whether a refusal in the history has its own field. */
  refusal: 'field' | 'text';
  /** Whether messages may carry the name of their author. */
  messageNames: 'kept' | 'none';
  /** How a messages model is asked to think. */
  thinking: 'budget' | 'adaptive';
  /** Whether a Responses server accepts tools with text input. */
  customTools: 'passed' | 'functions';
  /** The header of the secret: `usual` is that of its wire. */
  auth: 'usual' | 'api-key';
  /** The `api-version` query parameter; none if undefined. */
  apiVersion?: string | undefined;
  seedField: 'seed' | 'random_seed';
  /** Body fields that the server refuses, so they are left out. */
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

/**
 * Field names as in the catalogue file, for the diff of two catalogues; null if all values are the defaults.
 */
export function toDialectText(dialect: Dialect): string | null {
  const usual: Record<string, unknown> = { ...USUAL_DIALECT };
  const said = Object.entries(dialect)
    .filter(([field, value]) => JSON.stringify(value) !== JSON.stringify(usual[field]))
    .map(([field, value]) => `${toFileName(field)}: ${String(value)}`);
  return said.length === 0 ? null : said.join(', ');
}

const toFileName = (field: string): string => field.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
