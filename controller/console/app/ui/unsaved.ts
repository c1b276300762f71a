import { useEffect } from 'preact/hooks';
import { shellTexts } from '../texts/shell.ts';

/** Asks before a click or the browser leaves a form with changes. */
export function useUnsaved(isChanged: boolean): void {
  useEffect(() => {
    if (!isChanged) return undefined;
    const onLeave = (event: BeforeUnloadEvent) => event.preventDefault();
    const onClick = (event: MouseEvent) => {
      const link = (event.target as Element).closest?.('a[href]');
      if (link === null || event.ctrlKey || event.metaKey || link.getAttribute('target') === '_blank') return;
      if (!confirm(shellTexts.leaveUnsaved)) {
        event.preventDefault();
        event.stopImmediatePropagation();
      }
    };
    addEventListener('beforeunload', onLeave);
    addEventListener('click', onClick, true);
    return () => {
      removeEventListener('beforeunload', onLeave);
      removeEventListener('click', onClick, true);
    };
  }, [isChanged]);
}
