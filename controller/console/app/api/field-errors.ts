import { signal } from '@preact/signals';

/**
 * The API's messages about fields of a request, each shown once: fields consume theirs with `at` while they render,
 * before or after the summary, which shows the rest.
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

  /** Messages about the field at this path and about fields inside it, which it names. */
  at(path: string): string | undefined {
    return this.consume([...this.messages.keys()].filter((one) => one === path || one.startsWith(`${path}.`)), path);
  }

  /** The message about exactly this path. */
  exactly(path: string): string | undefined {
    return this.consume(this.messages.has(path) ? [path] : [], path);
  }

  /** Whether fields show any messages, and the messages that no field shows, with their paths. */
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
