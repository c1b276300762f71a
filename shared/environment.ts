import { readFileSync } from 'node:fs';
import type { z } from 'zod';

export type Environment = Readonly<Record<string, string | undefined>>;

/** All invalid settings that prevent startup. The process exits with code 2. */
export class ConfigError extends Error {
  readonly problems: readonly string[];

  constructor(problems: readonly string[]) {
    const count = problems.length === 1 ? '1 setting is invalid' : `${problems.length} settings are invalid`;
    super([`Farwatch cannot start: ${count}`, ...problems.map((problem) => `  ${problem}`)].join('\n'));
    this.name = 'ConfigError';
    this.problems = problems;
  }
}

/**
 * Parses the variables of `schema` from `env`; an empty value counts as unset. Returns problems as `NAME
 * message, not "value"` instead of throwing, so that callers can combine lists. `secrets` also accept
 * `<NAME>_FILE` and are never printed.
 */
export function readEnvironment<Shape extends z.ZodRawShape>(
  schema: z.ZodObject<Shape>, env: Environment, secrets: readonly string[],
): { values: z.infer<z.ZodObject<Shape>> | null; problems: string[] } {
  const raw: Record<string, string> = {};
  const problems: string[] = [];
  for (const name of Object.keys(schema.shape)) {
    const value = secrets.includes(name) ? readSecret(name, env, problems) : env[name];
    if (value !== undefined && value.trim() !== '') raw[name] = value.trim();
  }
  const parsed = schema.safeParse(raw);
  if (!parsed.success) problems.push(...parsed.error.issues.map((issue) => problemLine(issue, raw, secrets)));
  return { values: parsed.success ? parsed.data : null, problems };
}

function readSecret(name: string, env: Environment, problems: string[]): string | undefined {
  const path = env[`${name}_FILE`]?.trim();
  if (!path) return env[name];
  if (env[name]?.trim()) {
    problems.push(`${name} and ${name}_FILE are both set; keep one of them`);
    return undefined;
  }
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code ?? 'unknown error';
    problems.push(`${name}_FILE must name a readable file, not ${JSON.stringify(path)} (${code})`);
    return undefined;
  }
}

function problemLine(
  issue: z.core.$ZodIssue, raw: Record<string, string>, secrets: readonly string[],
): string {
  const name = String(issue.path[0] ?? '');
  const value = raw[name];
  const line = `${name} ${issue.message}`.trim();
  if (value === undefined) return line;
  return secrets.includes(name) ? line : `${line}, not ${JSON.stringify(value.slice(0, 200))}`;
}
