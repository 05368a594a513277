import {
  listUsageQuery,
  usageByApiKey,
  usageByGroupQuery,
  usageByModel,
  usageList,
  usageSummary,
  usageSummaryQuery,
} from '@farebox/contracts';
import type { z } from 'zod';
import { json, type Answer, type Operation } from '../operation';
import { usageExamples } from './usage-examples';

const ofSession = {
  services: ['account'],
  method: 'GET',
  tag: 'Usage',
  credential: 'session',
  errors: [{ code: 'invalid_request_error', param: 'start' }],
} as const;

/** Each of them answers with CSV where the header `Accept` asks for it. */
const answerOf = (
  schema: z.ZodType,
  example: { json: object; csv: string },
  headers: Answer['headers'] = [],
): Answer => ({
  status: 200,
  description: 'As JSON, or as CSV where `Accept` asks for `text/csv`.',
  headers: ['Vary', 'Content-Disposition', ...headers],
  contents: [
    json(schema, { some: example.json }),
    { mediaType: 'text/csv', examples: { some: example.csv } },
  ],
});

const listUsage = {
  ...ofSession,
  id: 'listUsage',
  path: '/v1/usage',
  summary: 'List the charged requests',
  description: 'As CSV, the next page is in the header `Link`.',
  query: listUsageQuery,
  answers: [answerOf(usageList, usageExamples.list, ['Link'])],
} satisfies Operation;

const summarizeUsage = {
  ...ofSession,
  id: 'summarizeUsage',
  path: '/v1/usage/summary',
  summary: 'Get totals, and a series by the hour or the day',
  description: 'Without a range: the last 30 days. Hours and days without usage are there, with zeros.',
  query: usageSummaryQuery,
  answers: [answerOf(usageSummary, usageExamples.summary)],
} satisfies Operation;

const listUsageByModel = {
  ...ofSession,
  id: 'listUsageByModel',
  path: '/v1/usage/by-model',
  summary: 'Get totals of each model',
  query: usageByGroupQuery,
  answers: [answerOf(usageByModel, usageExamples.byModel)],
} satisfies Operation;

const listUsageByApiKey = {
  ...ofSession,
  id: 'listUsageByApiKey',
  path: '/v1/usage/by-api-key',
  summary: 'Get totals of each API key',
  description: 'Of revoked keys too.',
  query: usageByGroupQuery,
  answers: [answerOf(usageByApiKey, usageExamples.byApiKey)],
} satisfies Operation;

export const usageOperations = {
  listUsage,
  summarizeUsage,
  listUsageByModel,
  listUsageByApiKey,
};
