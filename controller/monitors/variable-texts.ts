import { isIP } from 'node:net';
import { z } from 'zod';
import type { CheckSpec, MonitorType } from '../../shared/contracts/check-spec.ts';
import { addressRefusal } from '../../shared/net-guard.ts';
import type { Tenant } from '../access/tenant.ts';
import { AppError } from '../errors/app-error.ts';
import { check, fieldError, validationError, type ValidationIssue } from '../http/input/validation.ts';
import type { MonitorDoc } from './monitor.ts';
import { targetField } from './schema.ts';
import { fill, hasPlaceholder, VARIABLE_NAME, type Fillable } from './settings/placeholders.ts';
import { CHECK_TYPES, toCheckSpec, typeFields, type TypeSettings } from './settings/registry.ts';
import { hostOf } from './target.ts';
import type { VariableDoc, VariableLookup } from './variable.ts';

type Templated = Fillable & TypeSettings & Pick<MonitorDoc, 'interval_seconds' | 'variable_ids'>;
type Path = ValidationIssue['path'];

const { headers, body, auth, keywords, send } = typeFields;
const CONFIGS = ['http_config', 'keyword_config', 'tcp_config'] as const;
/** The texts in which variables are replaced, as in a request. */
const filledTexts = z.object({ target: targetField, headers, body, auth, keywords, send });

interface VariableDeps {
  variables: VariableLookup;
}

/** The project's variables; none if none of these bodies or documents can contain a placeholder. */
export async function variablesFor(
  { variables }: VariableDeps, { tenant }: { tenant: Tenant }, ...values: unknown[]
): Promise<VariableDoc[]> {
  return mayUseVariables(values) ? variables.list(tenant) : [];
}

/** Call it after each write of a monitor, so that it never uses a variable that was deleted meanwhile. */
export async function keepUsed(
  { variables }: VariableDeps, loaded: readonly VariableDoc[], ids: readonly string[] = [],
): Promise<void> {
  const used = loaded.filter(({ _id }) => ids.includes(_id));
  if (used.length > 0) await variables.keep(used);
}

function mayUseVariables(value: unknown): boolean {
  return JSON.stringify(value).includes('{{');
}

interface Saved {
  type: MonitorType;
  /** The request: errors name the fields in it. */
  sent: Partial<Record<(typeof CONFIGS)[number], object | null>>;
  settings: Templated;
  /** `variable_ids` of the monitor so far. */
  before: string[] | undefined;
}

/**
 * The ids of the variables in these settings, to be stored with them: none if they contain no placeholder.
 * Throws VALIDATION_ERROR for unknown names, and if the values make the settings invalid.
 */
export function variableIdsOf(
  { type, sent, settings, before }: Saved, variables: readonly VariableDoc[],
): { variable_ids?: string[] } {
  if (!mayUseVariables(settings)) return before === undefined ? {} : { variable_ids: [] };
  const used = new Set<string>();
  const unknown: ValidationIssue[] = [];
  fill(settings, (name, path) => {
    const found = variables.find((one) => one.name === name);
    if (found) used.add(found._id);
    else unknown.push({ code: 'custom', path, message: unknownName(name) });
    return found?.name ?? '';
  });
  const issues = unknown.length > 0 ? unknown : faultsOfValues(type, settings, variables);
  const named = issues.map((issue) => ({ ...issue, path: pathIn(sent, issue.path) }));
  if (named.length > 0) throw validationError(named);
  return { variable_ids: [...used].sort() };
}

/** Of a field that the request has only within a configuration, such as `keyword_config.keywords`. */
function pathIn(sent: Saved['sent'], path: Path): Path {
  const [field = ''] = path;
  const config = field in sent ? undefined : CONFIGS.find((name) => field in (sent[name] ?? {}));
  return config === undefined ? path : [config, ...path];
}

function unknownName(name: string): string {
  const rule = VARIABLE_NAME.test(name) ? 'Unknown variable' : 'Not the name of a variable';
  return `${rule}: {{${name}}}. Write \\{{ for a literal {{`;
}

/** What is wrong with the settings once the variables are replaced. Never contains a value. */
export function faultsOfValues(
  type: MonitorType, settings: Templated, variables: readonly VariableDoc[],
): ValidationIssue[] {
  try {
    const filled = fill(settings, valuesOf(variables));
    const { target, http, keyword, tcp } = filled;
    const texts = {
      target,
      ...(http && { headers: http.headers, body: http.body, auth: http.auth }),
      ...(keyword && { keywords: keyword.keywords }), ...(tcp?.send ? { send: tcp.send } : {}),
    };
    const { issues } = check(filledTexts, texts);
    if (issues.length > 0) return issues;
    const resolved = CHECK_TYPES[type].resolve(texts, settings, 0);
    if (resolved.tcp?.port !== tcp?.port) throw fieldError('target', 'The port in the value is not the port of the monitor');
    if (hasPlaceholder(settings.target) && isNeverReachable(type, target)) {
      throw fieldError('target', 'Checks must not reach the address in the value');
    }
    return [];
  } catch (error) {
    if (error instanceof AppError && Array.isArray(error.details)) return error.details as ValidationIssue[];
    throw error;
  }
}

/** Link-local, metadata and reserved addresses. Whether private ones are allowed depends on the probe. */
function isNeverReachable(type: MonitorType, target: string): boolean {
  const host = hostOf(type, target);
  return isIP(host) !== 0 && addressRefusal(host, { allowPrivate: true }) !== null;
}

function valuesOf(variables: readonly VariableDoc[]) {
  return (name: string, path: Path): string => {
    const value = variables.find((one) => one.name === name)?.value;
    if (typeof value === 'string') return value;
    const message = `The value of {{${name}}} is missing; enter it again`;
    throw validationError([{ code: 'custom', path, message }]);
  };
}

/**
 * The spec with the variables replaced. Throws VALIDATION_FAILED if that is impossible, such as after the
 * value of a variable was lost.
 */
export function filledSpec(doc: MonitorDoc, variables: readonly VariableDoc[]): CheckSpec {
  if (doc.variable_ids === undefined) return toCheckSpec(doc);
  const own = variables.filter(({ _id }) => doc.variable_ids?.includes(_id));
  const issues = faultsOfValues(doc.type, doc, own);
  if (issues.length > 0) throw new AppError('VALIDATION_FAILED', validationError(issues).message);
  const spec = toCheckSpec(fill(doc, valuesOf(own)));
  const secrets = own.flatMap(({ is_secret, value }) => (is_secret && value !== null ? [value] : []));
  return secrets.length > 0 ? { ...spec, secrets } : spec;
}
