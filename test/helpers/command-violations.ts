import { BSONRegExp } from 'mongodb';
import {
  ACCUMULATORS,
  ARRAY_MODIFIERS,
  COMMANDS,
  DELETE_STATEMENT_FIELDS,
  ENVELOPE_FIELDS,
  INDEX_OPTIONS,
  LOGICAL_OPERATORS,
  QUERY_OPERATORS,
  STAGES,
  UPDATE_OPERATORS,
  UPDATE_STATEMENT_FIELDS,
} from '../../deploy/embedded/mongo/closed-list.ts';
import { literalRegex } from '../../deploy/embedded/mongo/query/literal-regex.ts';

type Plain = Record<string, unknown>;
type Report = (text: string) => void;

/** What of one command, as the driver reports it, lies outside the closed list; empty when nothing does. */
export function commandViolations(command: Plain): string[] {
  const found: string[] = [];
  const [given] = Object.keys(command);
  const name = given?.toLowerCase() ?? '';
  const report: Report = (text) => found.push(`${given}: ${text}`);
  const allowed = COMMANDS[name];
  if (given === undefined || allowed === undefined) return [`${given}: the command is not in the list`];
  for (const [field, value] of Object.entries(command)) {
    if (field !== given && value !== undefined && !allowed.has(field) && !ENVELOPE_FIELDS.has(field)) report(`the field ${field}`);
  }
  checkParts(name, command, report);
  return found;
}

function checkParts(name: string, command: Plain, report: Report): void {
  checkFilter(command['filter'] ?? command['query'], report);
  checkDirections('sort', command['sort'], report);
  checkProjection(command['projection'] ?? command['fields'], report);
  if (name === 'findandmodify') checkUpdate(command['update'], report);
  for (const statement of listOf(command['updates'])) {
    checkFields(statement, UPDATE_STATEMENT_FIELDS, 'updates', report);
    checkFilter(statement['q'], report);
    checkUpdate(statement['u'], report);
  }
  for (const statement of listOf(command['deletes'])) {
    checkFields(statement, DELETE_STATEMENT_FIELDS, 'deletes', report);
    checkFilter(statement['q'], report);
  }
  for (const stage of listOf(command['pipeline'])) checkStage(stage, report);
  for (const index of listOf(command['indexes'])) {
    checkFields(index, INDEX_OPTIONS, 'index option', report);
    checkDirections('index', index['key'], report);
  }
  if (name === 'explain' && isPlain(command['explain'])) for (const text of commandViolations(command['explain'])) report(text);
}

function checkFields(value: Plain, allowed: ReadonlySet<string>, what: string, report: Report): void {
  for (const [field, member] of Object.entries(value)) if (member !== undefined && !allowed.has(field)) report(`${what}: ${field}`);
}

function checkFilter(filter: unknown, report: Report): void {
  if (!isPlain(filter)) return;
  for (const [key, value] of Object.entries(filter)) {
    if (!key.startsWith('$')) checkCondition(value, report);
    else if (LOGICAL_OPERATORS.has(key)) for (const part of listOf(value)) checkFilter(part, report);
    else report(`the query operator ${key}`);
  }
}

function checkCondition(value: unknown, report: Report): void {
  if (value instanceof RegExp || value instanceof BSONRegExp) return checkRegex(value, '', report);
  if (!isPlain(value) || !Object.keys(value).some((key) => key.startsWith('$'))) return;
  for (const [operator, operand] of Object.entries(value)) {
    if (!QUERY_OPERATORS.has(operator)) report(`the query operator ${operator}`);
    else if (operator === '$not') checkCondition(operand, report);
    else if (operator === '$regex') checkRegex(operand, value['$options'], report);
    else if ((operator === '$in' || operator === '$nin') && Array.isArray(operand) && operand.some((member) => member instanceof RegExp)) {
      report(`a regular expression in ${operator}`);
    }
  }
}

function checkRegex(pattern: unknown, options: unknown, report: Report): void {
  const [source, own] = pattern instanceof RegExp ? [pattern.source, pattern.flags] : pattern instanceof BSONRegExp ? [pattern.pattern, pattern.options] : [String(pattern), ''];
  try {
    literalRegex(source, typeof options === 'string' && options !== '' ? options : own);
  } catch (error) {
    report((error as Error).message);
  }
}

function checkUpdate(update: unknown, report: Report): void {
  if (Array.isArray(update)) return report('a pipeline update');
  if (!isPlain(update)) return;
  const operators = Object.entries(update).filter(([key]) => key.startsWith('$'));
  for (const [operator, operand] of operators) {
    if (!UPDATE_OPERATORS.has(operator)) report(`the update operator ${operator}`);
    else if (isPlain(operand)) for (const [path, value] of Object.entries(operand)) checkTarget(operator, path, value, report);
  }
}

function checkTarget(operator: string, path: string, value: unknown, report: Report): void {
  checkPath(path, report);
  if (operator === '$pull' && isPlain(value)) report('$pull by condition');
  if (!(operator === '$push' || operator === '$addToSet') || !isPlain(value)) return;
  for (const key of Object.keys(value)) if (key.startsWith('$') && ARRAY_MODIFIERS[operator]?.has(key) !== true) report(`${operator} with ${key}`);
}

function checkPath(path: string, report: Report): void {
  if (path.split('.').some((part) => part.startsWith('$'))) report(`the path ${path}`);
}

function checkDirections(what: string, pattern: unknown, report: Report): void {
  if (!isPlain(pattern) && !(pattern instanceof Map)) return;
  const entries: [string, unknown][] = pattern instanceof Map ? [...(pattern as Map<string, unknown>)] : Object.entries(pattern);
  for (const [path, direction] of entries) {
    checkPath(path, report);
    if (direction !== 1 && direction !== -1) report(`${what} by ${path}: ${String(direction)}`);
  }
}

function checkProjection(projection: unknown, report: Report): void {
  if (!isPlain(projection)) return;
  for (const [path, value] of Object.entries(projection)) {
    checkPath(path, report);
    if (isPlain(value)) checkProjection(value, report);
    else if (typeof value !== 'number' && typeof value !== 'boolean') report(`the projection of ${path}`);
  }
}

function checkStage(stage: Plain, report: Report): void {
  const [[name, spec] = ['', undefined]] = Object.entries(stage);
  if (!STAGES.has(name)) return report(`the stage ${name}`);
  if (name === '$match') checkFilter(spec, report);
  if (name === '$sort') checkDirections('$sort', spec, report);
  if (name === '$unwind' && isPlain(spec)) checkFields(spec, new Set(['path']), '$unwind option', report);
  if (name === '$group' && isPlain(spec)) for (const [field, value] of Object.entries(spec)) checkGroupField(field, value, report);
}

function checkGroupField(field: string, value: unknown, report: Report): void {
  if (field === '_id') return checkGroupId(value, report);
  const [[accumulator, operand] = ['', undefined]] = isPlain(value) ? Object.entries(value) : [];
  if (!ACCUMULATORS.has(accumulator)) return report(`the accumulator ${accumulator}`);
  if (isPlain(operand) || Array.isArray(operand)) report(`an expression in ${accumulator}`);
}

function checkGroupId(value: unknown, report: Report): void {
  if (Array.isArray(value) || (typeof value === 'string' && value.startsWith('$$'))) report('an expression in _id');
  if (!isPlain(value)) return;
  for (const [key, member] of Object.entries(value)) {
    if (key.startsWith('$')) report(`the expression ${key}`);
    else checkGroupId(member, report);
  }
}

function listOf(value: unknown): Plain[] {
  return Array.isArray(value) ? value.filter(isPlain) : [];
}

/** Documents as opposed to BSON values such as ObjectId, Binary or Long. */
function isPlain(value: unknown): value is Plain {
  if (typeof value !== 'object' || value === null) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}
