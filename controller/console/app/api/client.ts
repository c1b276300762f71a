import createClient from 'openapi-fetch';
import { ApiError, toApiError } from './api-error.ts';
import { baseUrl } from './base-path.ts';
import { recordServerDate } from './server-clock.ts';
import type { paths } from './openapi.d.ts';
import { selectedOrganization, selectedProject, reportSessionExpired } from './selection.ts';

/** Makes the API accept the session cookie; pages of other origins can't send this header. */
export const SESSION_HEADER = { 'X-Farwatch-Session': 'cookie' };

/** Sent with every request: the session, organization and project. */
export function requestHeaders(): Record<string, string> {
  const [organization, project] = [selectedOrganization.value, selectedProject.value];
  return {
    ...SESSION_HEADER,
    ...(organization === null ? {} : { 'X-Organization-ID': organization }),
    ...(project === null ? {} : { 'X-Project-ID': project }),
  };
}

/** The API, typed by its OpenAPI document. Wrap calls in `unwrap`. */
export const api = createClient<paths>({ baseUrl });
api.use({
  onRequest: ({ request }) => {
    for (const [name, value] of Object.entries(requestHeaders())) {
      if (!request.headers.has(name)) request.headers.set(name, value);
    }
  },
  onResponse: ({ response }) => recordServerDate(response.headers.get('date')),
});

type ApiCall<T> = Promise<{ data?: T; error?: unknown; response: Response }>;
type DataOf<T> = T extends { data: infer D } ? D : T;

/** Returns the `data` of a success. Throws ApiError otherwise, also without a connection. */
export async function unwrap<T>(call: ApiCall<T>): Promise<DataOf<T>> {
  const { data, error, response } = await call.catch(() => {
    throw new ApiError({ code: 'OFFLINE', message: 'The server cannot be reached' });
  });
  if (response.ok) return ((data as { data?: unknown } | undefined)?.data ?? data) as DataOf<T>;
  const failure = toApiError(response, error);
  if (response.status === 401 && failure.code !== 'INVALID_CREDENTIALS') reportSessionExpired();
  throw failure;
}
