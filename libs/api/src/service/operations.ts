import { json, type Operation } from '../operation';
import { health, readiness, serviceRecord } from './schema';

const both = { services: ['gateway', 'account'], tag: 'Service', credential: 'none' } as const;

const getHealth = {
  ...both,
  id: 'getHealth',
  method: 'GET',
  path: '/healthz',
  summary: 'Ask whether the process lives',
  answers: [{ status: 200, description: 'It lives.', contents: [json(health, { lives: { status: 'ok' } })] }],
  errors: [],
} satisfies Operation;

const getReadiness = {
  ...both,
  id: 'getReadiness',
  method: 'GET',
  path: '/readyz',
  summary: 'Ask whether the process can serve',
  answers: [
    { status: 200, description: 'It can.', contents: [json(readiness, { ready: { status: 'ready' } })] },
    {
      status: 503,
      description: 'It cannot: it is stopping, or does not reach its database.',
      contents: [json(readiness, { not_ready: { status: 'not_ready' } })],
    },
  ],
  errors: [],
} satisfies Operation;

const getOpenApiDocument = {
  ...both,
  id: 'getOpenApiDocument',
  method: 'GET',
  path: '/openapi.json',
  summary: 'Get this document',
  answers: [
    {
      status: 200,
      description: 'OpenAPI 3.1.',
      headers: ['ETag'],
      contents: [{ mediaType: 'application/json', examples: { beginning: { openapi: '3.1.1' } } }],
    },
    { status: 304, description: 'It is the one of `If-None-Match`.', headers: ['ETag'], contents: [] },
  ],
  errors: [],
} satisfies Operation;

const getDocsPage = {
  ...both,
  id: 'getDocsPage',
  method: 'GET',
  path: '/docs',
  summary: 'Read this document',
  answers: [
    {
      status: 200,
      description: 'A page for people.',
      headers: ['ETag'],
      contents: [{ mediaType: 'text/html', examples: { beginning: '<!doctype html>' } }],
    },
    { status: 304, description: 'It is the one of `If-None-Match`.', headers: ['ETag'], contents: [] },
  ],
  errors: [],
} satisfies Operation;

const page = { mediaType: 'text/html', examples: { beginning: '<!doctype html>' } };

const getErrorDocs = {
  ...both,
  id: 'getErrorDocs',
  method: 'GET',
  path: '/docs/errors',
  summary: 'Read about errors',
  answers: [
    { status: 200, description: 'A page for people.', headers: ['ETag'], contents: [page] },
    { status: 304, description: 'It is the one of `If-None-Match`.', headers: ['ETag'], contents: [] },
  ],
  errors: [],
} satisfies Operation;

const getErrorPage = {
  ...getErrorDocs,
  id: 'getErrorPage',
  path: '/docs/errors/{code}',
  summary: 'Read about an error',
  description: 'The header `Link` of every error leads here.',
  errors: [{ code: 'invalid_request_error', status: 404, when: 'There is no such code.' }],
} satisfies Operation;

const getService = {
  ...both,
  services: ['account'],
  id: 'getService',
  method: 'GET',
  path: '/v1/service',
  summary: 'Ask whose service this is',
  answers: [
    {
      status: 200,
      description: 'What it is called, whom to ask, and where it is reached.',
      headers: ['ETag'],
      contents: [
        json(serviceRecord, {
          service: {
            object: 'service',
            name: 'Farebox',
            logo_url: null,
            accent_color: null,
            support_email: 'help@example.com',
            base_url: 'https://farebox.example',
            version: '0.1.0',
          },
        }),
      ],
    },
    { status: 304, description: 'It is the one of `If-None-Match`.', headers: ['ETag'], contents: [] },
  ],
  errors: [],
} satisfies Operation;

export const serviceOperations = {
  getErrorDocs,
  getErrorPage,
  getService,
  getHealth,
  getReadiness,
  getOpenApiDocument,
  getDocsPage,
};
