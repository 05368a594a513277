import { OPERATIONS } from '../operations/every-operation';
import { TAGS } from '../tags';
import { SharedResponses } from './error-responses';
import { ERROR_SCHEMAS } from './error-schemas';
import { HEADERS } from './headers';
import { INFO } from './info';
import type { JsonObject } from './json';
import { pathsOf } from './paths';
import { contractSchemas } from './zod-schemas';

/** An OpenAPI 3.1 document. */
export interface OpenApiDocument extends JsonObject {
  paths: Record<string, JsonObject>;
  components: JsonObject & { schemas: JsonObject };
}

const SECURITY_SCHEMES = {
  apiKey: {
    type: 'http',
    scheme: 'bearer',
    bearerFormat: 'ak-…',
    description: 'An API key. It opens the traffic, and nothing else.',
  },
  session: {
    type: 'http',
    scheme: 'bearer',
    bearerFormat: 'st-…',
    description: 'The session of an account.',
  },
  sessionCookie: {
    type: 'apiKey',
    in: 'cookie',
    name: 'service_token',
    description:
      'The same session as a cookie. A change that it authorises must come from a page of the same origin: `Origin`, or `Sec-Fetch-Site: same-origin`.',
  },
} as const;

/** The document of both services, worked out from the contracts and the operations. The same each time. */
export function buildDocument(): OpenApiDocument {
  const shared = new SharedResponses();
  const paths = pathsOf(OPERATIONS, shared) as Record<string, JsonObject>;
  return {
    openapi: '3.1.1',
    info: INFO,
    servers: [{ url: '/', description: 'Where this document is served.' }],
    tags: TAGS.map((tag) => ({ ...tag })),
    paths,
    components: {
      schemas: sorted({ ...contractSchemas(), ...ERROR_SCHEMAS }),
      responses: sorted(shared.byName),
      headers: usedHeaders({ paths, responses: shared.byName }),
      securitySchemes: SECURITY_SCHEMES,
    },
  };
}

/** The headers that something refers to. */
function usedHeaders(parts: JsonObject): JsonObject {
  const text = JSON.stringify(parts);
  const isUsed = (name: string): boolean => text.includes(`"#/components/headers/${name}"`);
  return Object.fromEntries(Object.entries(HEADERS).filter(([name]) => isUsed(name)));
}

function sorted(members: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(members).sort(([a], [b]) => (a < b ? -1 : 1)));
}
