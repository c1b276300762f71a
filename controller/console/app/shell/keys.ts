import { signal } from '@preact/signals';
import { useLayoutEffect, useRef } from 'preact/hooks';
import { tinykeys } from 'tinykeys';

export interface Key {
  /** In tinykeys syntax: `?`, `g m`, `$mod+k`. */
  keys: string;
  /** Description in the list of shortcuts. */
  text: string;
  run: (event: KeyboardEvent) => void;
  /** Also active in text fields. */
  everywhere?: boolean;
}

/** All active keys, by component. */
export const activeKeys = signal<readonly { isGeneral: boolean; keys: readonly Key[] }[]>([]);

function isTyping({ target }: KeyboardEvent): boolean {
  return target instanceof HTMLElement && target.closest('input:not([type=checkbox]), textarea, select, [contenteditable]') !== null;
}

/** Binds keys while the component is mounted. Their number and order must not change. */
export function useKeys(keys: readonly Key[], { isGeneral = false } = {}): void {
  const latest = useRef(keys);
  latest.current = keys;
  const names = keys.map((key) => key.keys).join('\n');
  // Before the first paint: a key that is pressed as soon as a view is seen already works.
  useLayoutEffect(() => {
    const entry = { isGeneral, keys: latest.current };
    activeKeys.value = [...activeKeys.peek(), entry];
    const bindings = latest.current.map((key, at) => [key.keys, (event: KeyboardEvent) => {
      const isDialogOpen = document.querySelector('dialog[open]') !== null;
      if (key.everywhere !== true && (isTyping(event) || isDialogOpen)) return;
      event.preventDefault();
      latest.current[at]?.run(event);
    }] as const);
    const unbind = tinykeys(window, Object.fromEntries(bindings));
    return () => {
      unbind();
      activeKeys.value = activeKeys.peek().filter((one) => one !== entry);
    };
  }, [names, isGeneral]);
}
