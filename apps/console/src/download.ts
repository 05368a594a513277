import { unwrap, type paths } from '@farebox/client';
import { useMutation } from '@tanstack/react-query';
import { save } from '@farebox/ui/save-file';
import { client } from './api';

type QueryOf<Path extends keyof paths> = paths[Path] extends {
  get: { parameters: { query?: infer Query } };
}
  ? NonNullable<Query>
  : never;

/** A table of the API, whole or of one month. */
export type CsvRequest =
  | { of: 'usage'; query: QueryOf<'/v1/usage'> }
  | { of: 'transactions'; query: QueryOf<'/v1/billing/transactions'> }
  | { of: 'statement'; month: string };

/** Saves a table under the name that the service gives it. An error, also of a download that breaks off, is the result's. */
export function useCsvDownload() {
  return useMutation({ mutationFn: fetchCsv, onSuccess: save });
}

async function fetchCsv(request: CsvRequest): Promise<File> {
  const answer = await ask(request);
  const content: unknown = await unwrap(Promise.resolve(answer));
  const [, name = `${request.of}.csv`] =
    /filename="([^"]+)"/.exec(answer.response.headers.get('content-disposition') ?? '') ?? [];
  return new File([content as Blob], name, { type: 'text/csv' });
}

function ask(request: CsvRequest) {
  const format = 'csv';
  switch (request.of) {
    case 'usage':
      return client.GET('/v1/usage', { params: { query: { ...request.query, format } }, parseAs: 'blob' });
    case 'transactions':
      return client.GET('/v1/billing/transactions', {
        params: { query: { ...request.query, format } },
        parseAs: 'blob',
      });
    case 'statement':
      return client.GET('/v1/billing/statements/{month}', {
        params: { path: { month: request.month }, query: { format } },
        parseAs: 'blob',
      });
  }
}
