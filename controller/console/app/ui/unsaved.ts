import { signal } from '@preact/signals';
import { useLocation } from 'preact-iso';
import { useLayoutEffect } from 'preact/hooks';
import { shellTexts } from '../texts/shell.ts';
import { href } from './link.ts';

/** Where the forms are that are shown and have changes. */
const unsaved = signal<readonly { url: string }[]>([]);

/** Asks whether changes may be lost, if there are any. */
export function confirmLeave(): boolean {
  return unsaved.peek().length === 0 || confirm(shellTexts.leaveUnsaved);
}

/** Leads to a view by a key or a command: asks first, as a link does, where a form has changes. */
export function useNavigate(): (path: string) => void {
  const { route } = useLocation();
  return (path) => {
    if (confirmLeave()) route(href(path));
  };
}

/**
 * Asks before the way back leaves a form with changes. To be called before the router listens: listeners of the
 * window are called in the order in which they were added.
 */
export function guardHistory(): void {
  addEventListener('popstate', (event) => {
    const [form] = unsaved.peek();
    if (form === undefined || confirmLeave()) return;
    // The browser has gone already: the view stays, and gets its address back.
    event.stopImmediatePropagation();
    history.pushState(null, '', form.url);
  });
}

/** Asks before a link, the way back or the browser leaves a form with changes. */
export function useUnsaved(isChanged: boolean): void {
  const { url } = useLocation();
  // At once: somebody may leave before the next frame.
  useLayoutEffect(() => {
    if (!isChanged) return undefined;
    const form = { url };
    unsaved.value = [...unsaved.peek(), form];
    const onUnload = (event: BeforeUnloadEvent) => event.preventDefault();
    const onClick = (event: MouseEvent) => {
      const link = (event.target as Element).closest?.('a[href]');
      if (link === null || event.ctrlKey || event.metaKey || link.getAttribute('target') === '_blank') return;
      if (!confirmLeave()) {
        event.preventDefault();
        event.stopImmediatePropagation();
      }
    };
    addEventListener('beforeunload', onUnload);
    addEventListener('click', onClick, true);
    return () => {
      unsaved.value = unsaved.peek().filter((one) => one !== form);
      removeEventListener('beforeunload', onUnload);
      removeEventListener('click', onClick, true);
    };
  }, [isChanged, url]);
}
