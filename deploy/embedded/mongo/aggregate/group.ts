import { BsonType, documentValue, Fields, fieldOf, fromByteString, isNumber, stringOf, toByteString, toDouble, Value } from '../bson/value.ts';
import { BsonWriter, encodeValue } from '../bson/write.ts';
import { ACCUMULATORS } from '../closed-list.ts';
import { badValue, ErrorCode, MongoFailure } from '../errors.ts';
import { encodeKey } from '../keys/key-writer.ts';
import { parsePath } from '../query/path.ts';
import { doubleValue, sumOf } from '../update/arithmetic.ts';

/** What an expression of a group yields for a document; undefined for missing. */
type Expression = (doc: Value) => Value | undefined;

const MAX_GROUP_BYTES = 100 * 1024 * 1024;

interface Group {
  readonly id: Value;
  readonly sums: Value[];
}

/** Parses a `$group` stage: `_id` by fields or a constant, `$sum` of a field or a constant as the only accumulator. */
export function parseGroup(spec: Value): (docs: Iterable<Buffer>) => Buffer[] {
  if (spec.type !== BsonType.object) throw new MongoFailure(15947, "a group's fields must be specified in an object");
  let id: Expression | null = null;
  const sums: { name: string; term: Expression }[] = [];
  const fields = new Fields(spec);
  while (fields.advance()) {
    if (fields.isNamed('_id')) id = parseExpression(fields.value());
    else sums.push({ name: fields.name, term: parseSum(fields.name, fields.value()) });
  }
  if (id === null) throw new MongoFailure(15955, 'a group specification must include an _id');
  const idOf = id;
  return (docs) => group(docs, idOf, sums);
}

function parseSum(name: string, spec: Value): Expression {
  if (name.includes('.') || name.startsWith('$')) throw new MongoFailure(40235, `The field name '${fromByteString(name)}' cannot contain '.' or start with '$'`);
  const fields = spec.type === BsonType.object ? new Fields(spec) : null;
  if (fields === null || !fields.advance()) throw new MongoFailure(40234, `The field '${fromByteString(name)}' must be an accumulator object`);
  const operator = fields.name;
  const operand = fields.value();
  if (!ACCUMULATORS.has(operator)) throw new MongoFailure(15952, `unknown group operator '${fromByteString(operator)}'`);
  if (fields.advance()) throw new MongoFailure(40238, `The field '${fromByteString(name)}' must specify one accumulator`);
  if (isNumber(operand) || isFieldPath(operand)) return parseExpression(operand);
  throw badValue('$sum is served for a field or a number only');
}

function isFieldPath(value: Value): boolean {
  return value.type === BsonType.string && stringOf(value).startsWith('$');
}

function parseExpression(spec: Value): Expression {
  if (isFieldPath(spec)) return parseFieldPath(stringOf(spec));
  if (spec.type === BsonType.array) throw badValue('array expressions are not served');
  if (spec.type !== BsonType.object) return () => spec;
  const parts: { name: string; expression: Expression }[] = [];
  const fields = new Fields(spec);
  while (fields.advance()) {
    const name = fields.name;
    if (name.startsWith('$')) throw new MongoFailure(ErrorCode.notImplemented, `the expression ${fromByteString(name)} is not served`);
    if (name.includes('.')) throw new MongoFailure(16412, `FieldPath field names may not contain '.': ${fromByteString(name)}`);
    parts.push({ name, expression: parseExpression(fields.value()) });
  }
  return (doc) => {
    const writer = new BsonWriter();
    const start = writer.begin();
    for (const { name, expression } of parts) {
      const value = expression(doc);
      if (value !== undefined) writer.element(name, value);
    }
    writer.end(start);
    return documentValue(writer.finish());
  };
}

function parseFieldPath(text: string): Expression {
  if (text.startsWith('$$')) throw badValue('variables are not served in expressions');
  const path = parsePath(toByteString(text.slice(1)));
  return (doc) => valueAt(doc, path, 0);
}

/** A field path in an expression: an array on the way yields the array of its documents' values. */
export function valueAt(doc: Value, path: readonly string[], from: number): Value | undefined {
  let current: Value = doc;
  for (let i = from; i < path.length; i++) {
    if (current.type === BsonType.array) return eachElement(current, path, i);
    const next = current.type === BsonType.object ? fieldOf(current, path[i] as string) : undefined;
    if (next === undefined) return undefined;
    current = next;
  }
  return current;
}

function eachElement(array: Value, path: readonly string[], from: number): Value {
  const writer = new BsonWriter();
  const start = writer.begin();
  let count = 0;
  const elements = new Fields(array);
  while (elements.advance()) {
    const isNested = elements.type === BsonType.object || elements.type === BsonType.array;
    const value = isNested ? valueAt(elements.value(), path, from) : undefined;
    if (value !== undefined) writer.element(String(count++), value);
  }
  writer.end(start);
  const { buf, at, end } = documentValue(writer.finish());
  return new Value(BsonType.array, buf, at, end);
}

function group(docs: Iterable<Buffer>, idOf: Expression, sums: readonly { name: string; term: Expression }[]): Buffer[] {
  const groups = new Map<string, Group>();
  const zero = encodeValue(0);
  const none = encodeValue(null);
  let bytes = 0;
  for (const buf of docs) {
    const doc = documentValue(buf);
    const id = idOf(doc) ?? none;
    const name = encodeKey(id).toString('latin1');
    let found = groups.get(name);
    if (found === undefined) {
      bytes += name.length + 64 * (sums.length + 2);
      if (bytes > MAX_GROUP_BYTES) throw new MongoFailure(ErrorCode.memoryLimit, 'Exceeded memory limit for $group; the embedded store keeps groups in memory');
      // The id must not keep its whole document in memory.
      found = { id: copyOf(id), sums: sums.map(() => zero) };
      groups.set(name, found);
    }
    for (const [i, { term }] of sums.entries()) found.sums[i] = added(found.sums[i] as Value, term(doc));
  }
  return [...groups.values()].map((entry) => groupDocument(entry, sums));
}

function copyOf(value: Value): Value {
  return new Value(value.type, Buffer.from(value.buf.subarray(value.at, value.end)), 0, value.end - value.at);
}

/** What is no number adds nothing; an int64 that overflows goes on as a double (manual: "$sum, Result Data Type"). */
function added(sum: Value, term: Value | undefined): Value {
  if (term === undefined || !isNumber(term)) return sum;
  return sumOf(sum, term) ?? doubleValue(toDouble(sum) + toDouble(term));
}

function groupDocument(entry: Group, sums: readonly { name: string }[]): Buffer {
  const writer = new BsonWriter();
  const start = writer.begin();
  writer.element('_id', entry.id);
  for (const [i, { name }] of sums.entries()) writer.element(name, entry.sums[i] as Value);
  writer.end(start);
  return writer.finish();
}
