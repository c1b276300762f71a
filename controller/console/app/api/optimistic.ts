import { useMutation, type QueryKey } from '@tanstack/preact-query';
import { toastError } from '../ui/toast.tsx';
import { queries } from './queries.ts';

/**
 * A change that is shown at once in what was read under `key`, as `change` makes it, and taken back with the
 * API's reason when `send` fails.
 */
export function useOptimistic<D, V>({ key, change, send }: {
  key: QueryKey; change: (seen: D, value: V) => D; send: (value: V) => Promise<unknown>;
}) {
  return useMutation({
    mutationFn: send,
    onMutate: async (value: V) => {
      await queries.cancelQueries({ queryKey: key });
      const before = queries.getQueryData<D>(key);
      queries.setQueryData<D>(key, (seen) => (seen === undefined ? seen : change(seen, value)));
      return before;
    },
    onError: (error, _value, before) => {
      queries.setQueryData(key, before);
      toastError(error);
    },
    onSettled: () => queries.invalidateQueries({ queryKey: key }),
  });
}
