import { QueryClient } from '@tanstack/preact-query';
import { ApiError } from './api-error.ts';

/** Caches API responses. Keys begin with their section, as in `['monitors', id, 'results', …]`. */
export const queries = new QueryClient({
  defaultOptions: {
    queries: {
      staleTime: 15_000,
      // The browser's offline state says nothing about a server in the same network.
      networkMode: 'always',
      // Other errors would only repeat.
      retry: (failures, error) => error instanceof ApiError && (error.status === 0 || error.status === 503) && failures < 3,
    },
    mutations: { retry: false, networkMode: 'always' },
  },
});
