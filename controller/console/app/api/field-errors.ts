import { signal } from '@preact/signals';

/**
 * The API's messages about single fields of a request, each to be shown once: fields take theirs by `at` while they
 * are drawn, before or after the summary, which shows those that no field has taken.
 */
export class FieldErrors {
  private readonly messages: ReadonlyMap<string, string>;
  private readonly consumed = signal<ReadonlySet<string>>(new Set());

  constructor(messages: Iterable<readonly [path: string, message: string]> = []) {
    this.messages = new Map(messages);
  }

  get isEmpty(): boolean {
    return this.messages.size === 0;
  }

  /** The messages about the field at this path and what is inside of it, for which it is said. */
  at(path: string): string | undefined {
    return this.consume([...this.messages.keys()].filter((one) => one === path || one.startsWith(`${path}.`)), path);
  }

  /** The message about exactly this path. */
  exactly(path: string): string | undefined {
    return this.consume(this.messages.has(path) ? [path] : [], path);
  }

  /** Whether some messages stand at fields, and those that do not, with their paths. */
  get summary(): { hasFieldMessages: boolean; rest: [path: string, message: string][] } {
    const consumed = this.consumed.value;
    return { hasFieldMessages: consumed.size > 0, rest: [...this.messages].filter(([path]) => !consumed.has(path)) };
  }

  private consume(paths: readonly string[], field: string): string | undefined {
    const before = this.consumed.peek();
    if (paths.some((path) => !before.has(path))) this.consumed.value = new Set([...before, ...paths]);
    const found = paths.map((path) => {
      const part = path.slice(field.length + 1).split('.').filter(Boolean)
        .map((name) => (/^\d+$/.test(name) ? String(Number(name) + 1) : name)).join(' ');
      return `${part === '' ? '' : `${part}: `}${this.messages.get(path) ?? ''}`;
    });
    return found.length === 0 ? undefined : found.join(' ');
  }
}
