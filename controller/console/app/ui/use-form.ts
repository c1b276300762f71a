import { useState } from 'preact/hooks';

export interface Sending {
  isBusy: boolean;
  error: unknown;
}

/**
 * Submits a form: `onSubmit` for the form, and its progress. An error stays until the next attempt. `useMutation` would
 * call the `send` of an earlier frame, without what was typed since.
 */
export function useForm(send: () => Promise<unknown>): Sending & { onSubmit: (event: Event) => void } {
  const [state, setState] = useState<Sending>({ isBusy: false, error: null });
  const onSubmit = (event: Event) => {
    event.preventDefault();
    if (state.isBusy) return;
    setState({ isBusy: true, error: null });
    send().then(
      () => setState({ isBusy: false, error: null }),
      (error: unknown) => setState({ isBusy: false, error }),
    );
  };
  return { onSubmit, ...state };
}
