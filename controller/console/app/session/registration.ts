import { useQuery } from '@tanstack/preact-query';
import { unwrap, api } from '../api/client.ts';

/** Who may register here, and whether anybody has yet; null until it is known. */
export function useRegistration() {
  const { data } = useQuery({
    queryKey: ['session', 'registration'], queryFn: () => unwrap(api.GET('/api/auth/registration')),
  });
  return data ?? null;
}
