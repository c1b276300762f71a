export class Progress {
  constructor(typicalS: Readonly<Record<string, number>>, options?: { print?: (line: string) => void; now?: () => number });
  open(): void;
  say(line: string): void;
  begin(name: string, describe?: () => string): void;
  advance(name: string, share: number): void;
  end(name: string, outcome: string): void;
  tick(): void;
}

export function clock(ms: number): string;
