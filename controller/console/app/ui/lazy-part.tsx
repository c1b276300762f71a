import type { ComponentType } from 'preact';
import { lazy } from 'preact-iso';
import { shellTexts } from '../texts/shell.ts';
import { ErrorNote } from './error-note.tsx';

/**
 * A component that is loaded when first shown. If loading fails, it offers to reload the page: after a server update,
 * the file has another name.
 */
export function lazyPart<Props>(load: () => Promise<{ default: ComponentType<Props> }>): ComponentType<Props> {
  return lazy(() => load().catch(() => ({ default: NotLoaded })));
}

function NotLoaded() {
  return <ErrorNote error={shellTexts.notLoaded} retry={() => location.reload()} />;
}
