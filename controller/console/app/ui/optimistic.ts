import { useMutation, type QueryKey } from '@tanstack/preact-query';
import { queries } from '../api/queries.ts';
import { toastError } from './toast.tsx';

/**
 * A mutation that applies `applyChange` to the cached data under `key` at once. If `send` fails, it reverts the change
 * and shows the API's message.
 */
export function useOptimistic<D, V>({ key, applyChange, send }: {
  key: QueryKey; applyChange: (current: D, value: V) => D; send: (value: V) => Promise<unknown>;
}) {
  return useMutation({
    mutationFn: send,
    onMutate: async (value: V) => {
      await queries.cancelQueries({ queryKey: key });
      const previous = queries.getQueryData<D>(key);
      queries.setQueryData<D>(key, (current) => (current === undefined ? current : applyChange(current, value)));
      return previous;
    },
    onError: (error, _value, previous) => {
      queries.setQueryData(key, previous);
      toastError(error);
    },
    onSettled: () => queries.invalidateQueries({ queryKey: key }),
  });
}
