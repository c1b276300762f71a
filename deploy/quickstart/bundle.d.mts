export function ensureBundles(options: { root: string; say: (line: string) => void }): Promise<string>;
