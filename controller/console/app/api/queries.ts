import { QueryClient } from '@tanstack/preact-query';
import { ApiError } from './api-error.ts';

/** What is read lives here under a key that begins with its section: `['monitors', id, 'results', …]`. */
export const queries = new QueryClient({
  defaultOptions: {
    queries: {
      staleTime: 15_000,
      // What a browser holds for being offline says nothing of a server in the same network.
      networkMode: 'always',
      // What the API refuses, it refuses again.
      retry: (failures, error) => error instanceof ApiError && (error.status === 0 || error.status === 503) && failures < 3,
    },
    mutations: { retry: false, networkMode: 'always' },
  },
});
