import { signal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';

export interface Command {
  text: string;
  /** Words that find it beside its text. */
  keywords?: string;
  run: () => void;
}

/** What the palette offers on this page beside navigation, by who offers it. */
export const pageCommands = signal<readonly (readonly Command[])[]>([]);

/** Offers commands in the palette while the component is shown. Keep them the same in number and order. */
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
