import { signal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';

export interface Command {
  text: string;
  /** Additional search terms. */
  keywords?: string;
  run: () => void;
}

/** The current page's commands in the palette, by component. */
export const pageCommands = signal<readonly (readonly Command[])[]>([]);

/** Adds commands to the palette while the component is mounted. Their number and order must not change. */
export function useCommands(commands: readonly Command[]): void {
  const latest = useRef(commands);
  latest.current = commands;
  const names = commands.map(({ text }) => text).join('\n');
  useEffect(() => {
    const own = latest.current.map((command, at) => ({ ...command, run: () => latest.current[at]?.run() }));
    pageCommands.value = [...pageCommands.peek(), own];
    return () => {
      pageCommands.value = pageCommands.peek().filter((one) => one !== own);
    };
  }, [names]);
}
