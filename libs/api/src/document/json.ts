export type Json = null | boolean | number | string | Json[] | JsonObject;
export interface JsonObject {
  [name: string]: Json | undefined;
}

/** A member that is an object; an empty one if there is none. */
export function objectAt(parent: JsonObject, name: string): JsonObject {
  const member = parent[name];
  return isObject(member) ? member : {};
}

export function textAt(parent: JsonObject, name: string): string {
  const member = parent[name];
  return typeof member === 'string' ? member : '';
}

export function listAt(parent: JsonObject, name: string): JsonObject[] {
  const member = parent[name];
  return Array.isArray(member) ? member.filter(isObject) : [];
}

/** The members that are objects, with their names. */
export function objectsIn(parent: JsonObject): [name: string, member: JsonObject][] {
  return Object.entries(parent).filter((entry): entry is [string, JsonObject] => isObject(entry[1]));
}

/** The target of a reference in the document; the object itself if it is not a reference. */
export function resolve(document: JsonObject, object: JsonObject): JsonObject {
  const reference = textAt(object, '$ref');
  if (reference === '') return object;
  return reference
    .split('/')
    .slice(1)
    .reduce<JsonObject>((parent, step) => objectAt(parent, step), document);
}

/** The last part of a reference. */
export function referredName(object: JsonObject): string | undefined {
  return /[^/]+$/.exec(textAt(object, '$ref'))?.[0];
}

export function isObject(value: Json | undefined): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
