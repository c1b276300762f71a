export function isNullFree(file: string, env?: Record<string, string | undefined>): boolean;
