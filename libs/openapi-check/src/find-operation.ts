import { objectAt, type JsonObject, type OpenApiDocument } from '@farebox/openapi';

export interface FoundOperation {
  /** As the document writes it. */
  path: string;
  /** In lower case. */
  method: string;
  operation: JsonObject;
}

export interface FoundPath {
  /** Undefined where the path does not have the method. */
  found: FoundOperation | undefined;
  /** Of the path, in upper case; empty where the document does not have the path. */
  methods: string[];
}

/** The operation that a request is for. A path that is written out goes before one with parameters. */
export function findOperation(document: OpenApiDocument, method: string, target: string): FoundPath {
  const asked = pathOf(target);
  const [path] = Object.keys(document.paths)
    .filter((pattern) => toRegExp(pattern).test(asked))
    .sort((a, b) => a.split('{').length - b.split('{').length);
  if (path === undefined) return { found: undefined, methods: [] };
  const item = document.paths[path] ?? {};
  const key = method === 'HEAD' ? 'get' : method.toLowerCase();
  const found = Object.hasOwn(item, key) ? { path, method: key, operation: objectAt(item, key) } : undefined;
  return { found, methods: Object.keys(item).map((name) => name.toUpperCase()) };
}

function pathOf(target: string): string {
  const path = target.startsWith('/') || !URL.canParse(target) ? target : new URL(target).pathname;
  return path.replace(/\?.*$/s, '');
}

function toRegExp(pattern: string): RegExp {
  const source = pattern
    .split(/\{\w+\}/)
    .map((literal) => literal.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&'))
    .join('[^/]+');
  return new RegExp(`^${source}$`, 's');
}
