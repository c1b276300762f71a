import type { ComponentType } from 'preact';
import { lazy } from 'preact-iso';
import { shellTexts } from '../texts/shell.ts';
import { ErrorNote } from './error-note.tsx';

/**
 * A part whose code is loaded when it is first shown. Where that fails, it offers to load the page anew: a
 * server that was updated meanwhile has the part under another name.
 */
export function lazyPart<Props>(load: () => Promise<{ default: ComponentType<Props> }>): ComponentType<Props> {
  return lazy(() => load().catch(() => ({ default: NotLoaded })));
}

function NotLoaded() {
  return <ErrorNote error={shellTexts.notLoaded} retry={() => location.reload()} />;
}
