import { signal } from '@preact/signals';
import { useLocation } from 'preact-iso';
import { useLayoutEffect } from 'preact/hooks';
import { basePath } from '../api/base-path.ts';
import { shellTexts } from '../texts/shell.ts';
import { href } from './link.ts';

/** URLs of the mounted forms with unsaved changes. */
const unsaved = signal<readonly { url: string }[]>([]);

/** Confirms that unsaved changes may be lost, if there are any. */
export function confirmLeave(): boolean {
  return unsaved.peek().length === 0 || confirm(shellTexts.leaveUnsaved);
}

/** Navigates by key or command; confirms first if a form has unsaved changes, as links do. */
export function useNavigate(): (path: string) => void {
  const { route } = useLocation();
  return (path) => {
    if (confirmLeave()) route(href(path));
  };
}

/**
 * Confirms before back navigation leaves a form with changes. Call it before the router adds its listener: window
 * listeners run in the order in which they were added.
 */
export function guardHistory(): void {
  addEventListener('popstate', (event) => {
    const [form] = unsaved.peek();
    if (form === undefined || confirmLeave()) return;
    // The browser has already navigated: keep the view and restore its URL.
    event.stopImmediatePropagation();
    history.pushState(null, '', `${basePath}${form.url}`);
  });
}

/** Confirms before a link, back navigation or the browser leaves a form with changes. */
export function useUnsaved(isChanged: boolean): void {
  const { url } = useLocation();
  // Synchronous, because the user may leave before the next frame.
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
