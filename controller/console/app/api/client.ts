import createClient from 'openapi-fetch';
import { chosenOrganization, chosenProject, sessionEnded } from '../session/chosen.ts';
import { ApiError, errorOf } from './api-error.ts';
import { noteServerDate } from './server-clock.ts';
import type { paths } from './openapi.d.ts';

/** Makes the cookie count; a page of another origin cannot send it. */
export const SESSION_HEADER = { 'X-Farwatch-Session': 'cookie' };

/** On every request: the session, and what it acts on. */
export function requestHeaders(): Record<string, string> {
  const [organization, project] = [chosenOrganization.value, chosenProject.value];
  return {
    ...SESSION_HEADER,
    ...(organization === null ? {} : { 'X-Organization-ID': organization }),
    ...(project === null ? {} : { 'X-Project-ID': project }),
  };
}

/** The API, typed by its own document. Wrap calls in `answer`. */
export const api = createClient<paths>({ baseUrl: location.origin });
api.use({
  onRequest: ({ request }) => {
    for (const [name, value] of Object.entries(requestHeaders())) {
      if (!request.headers.has(name)) request.headers.set(name, value);
    }
  },
  onResponse: ({ response }) => noteServerDate(response.headers.get('date')),
});

type Sent<T> = Promise<{ data?: T; error?: unknown; response: Response }>;
type DataOf<T> = T extends { data: infer D } ? D : T;

/** The `data` of a success. Throws ApiError for everything else, also without a connection. */
export async function answer<T>(sent: Sent<T>): Promise<DataOf<T>> {
  const { data, error, response } = await sent.catch(() => {
    throw new ApiError({ code: 'OFFLINE', message: 'The server cannot be reached' });
  });
  if (response.ok) return ((data as { data?: unknown } | undefined)?.data ?? data) as DataOf<T>;
  const failure = errorOf(response, error);
  if (response.status === 401 && failure.code !== 'INVALID_CREDENTIALS') sessionEnded();
  throw failure;
}
