import { signal } from '@preact/signals';
import { useLocation } from 'preact-iso';
import { useEffect } from 'preact/hooks';
import { shellTexts } from '../texts/shell.ts';
import { href } from './link.ts';

/** How many forms that are shown have changes. */
const unsaved = signal(0);

/** Asks whether changes may be lost, if there are any. */
export function mayLeave(): boolean {
  return unsaved.peek() === 0 || confirm(shellTexts.leaveUnsaved);
}

/** Leads to a view by a key or a command: asks first, as a link does, where a form has changes. */
export function useGo(): (path: string) => void {
  const { route } = useLocation();
  return (path) => {
    if (mayLeave()) route(href(path));
  };
}

/** Asks before a link, the way back or the browser leaves a form with changes. */
export function useUnsaved(isChanged: boolean): void {
  const { url } = useLocation();
  useEffect(() => {
    if (!isChanged) return undefined;
    unsaved.value += 1;
    const onUnload = (event: BeforeUnloadEvent) => event.preventDefault();
    const onClick = (event: MouseEvent) => {
      const link = (event.target as Element).closest?.('a[href]');
      if (link === null || event.ctrlKey || event.metaKey || link.getAttribute('target') === '_blank') return;
      if (!mayLeave()) {
        event.preventDefault();
        event.stopImmediatePropagation();
      }
    };
    const onPop = (event: PopStateEvent) => {
      if (mayLeave()) return;
      // The browser has gone already: the view stays, and gets its address back.
      event.stopImmediatePropagation();
      history.pushState(null, '', url);
    };
    addEventListener('beforeunload', onUnload);
    addEventListener('click', onClick, true);
    addEventListener('popstate', onPop, true);
    return () => {
      unsaved.value -= 1;
      removeEventListener('beforeunload', onUnload);
      removeEventListener('click', onClick, true);
      removeEventListener('popstate', onPop, true);
    };
  }, [isChanged, url]);
}
