export function nodeVersionError(version: string): string | null;
