import {
  buildDocument,
  listAt,
  objectAt,
  objectsIn,
  resolve,
  textAt,
  type Operation,
} from '@farebox/openapi';

/** The kinds of things that an account has, and that a request can name. */
export type ObjectKind =
  'api_key' | 'device' | 'session' | 'invoice' | 'transaction' | 'funding' | 'usage_record' | 'used_model';

/** A parameter of an operation that names a thing of the account. */
export interface Reference {
  place: 'path' | 'query';
  name: string;
  kind: ObjectKind;
}

const NAMED_BY: Readonly<Record<string, ObjectKind | undefined>> = {
  key_public_id: 'api_key',
  device_id: 'device',
  session_id: 'session',
  number: 'invoice',
  model: 'used_model',
};

/** What the cursor of a list is the id of. */
const CURSOR_OF: Readonly<Record<string, ObjectKind | undefined>> = {
  listApiKeys: 'api_key',
  listUsage: 'usage_record',
  listTransactions: 'transaction',
  listInvoices: 'invoice',
  listFunding: 'funding',
  listDevices: 'device',
  listSessions: 'session',
};
const CURSOR = 'after';

/** They name nothing that an account has. */
const PLAIN_PARAMETERS = ['limit', 'start', 'end', 'bucket', 'type'];
/** The models of a policy are those of the catalogue: api-key-models.int.spec.ts. */
const PLAIN_FIELDS = ['name', 'platform', 'amount', 'monthly_spend_limit', 'expires_at', 'model_policy'];

const document = buildDocument();

/** By the document: what names a thing. Throws for a parameter and for a field that these tables do not know. */
export function referencesOf(operation: Operation): Reference[] {
  const described = objectAt(document.paths[operation.path] ?? {}, operation.method.toLowerCase());
  for (const field of fieldsOf(objectAt(described, 'requestBody')))
    if (!PLAIN_FIELDS.includes(field)) throw unknown(operation, field);
  return listAt(described, 'parameters')
    .map((parameter) => resolve(document, parameter))
    .flatMap((parameter): Reference[] => {
      const place = textAt(parameter, 'in');
      const name = textAt(parameter, 'name');
      if (place !== 'path' && place !== 'query') return [];
      if (place === 'query' && PLAIN_PARAMETERS.includes(name)) return [];
      const kind = name === CURSOR ? CURSOR_OF[operation.id] : NAMED_BY[name];
      if (kind === undefined) throw unknown(operation, name);
      return [{ place, name, kind }];
    });
}

function fieldsOf(requestBody: Parameters<typeof objectAt>[0]): string[] {
  return objectsIn(objectAt(requestBody, 'content')).flatMap(([, content]) => {
    const schema = resolve(document, objectAt(content, 'schema'));
    return Object.keys(objectAt(schema, 'properties'));
  });
}

function unknown({ id }: Operation, name: string): Error {
  return new Error(`say in ${__filename} whether '${name}' of ${id} names a thing that an account has`);
}

/** Whether the document names a query parameter of an operation. */
export function hasQuery({ path, method }: Operation, name: string): boolean {
  const described = objectAt(document.paths[path] ?? {}, method.toLowerCase());
  return listAt(described, 'parameters').some(
    (parameter) => textAt(resolve(document, parameter), 'name') === name,
  );
}
