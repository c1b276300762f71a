import { useQuery } from '@tanstack/preact-query';
import { unwrap, api } from '../api/client.ts';

/** Who may register here, and whether any account exists; null while unknown. */
export function useRegistration() {
  const { data } = useQuery({
    queryKey: ['session', 'registration'], queryFn: () => unwrap(api.GET('/api/auth/registration')),
  });
  return data ?? null;
}
