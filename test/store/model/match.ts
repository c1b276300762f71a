import { compare, isDoc, isSameType, MISSING, reach, type Doc } from './values.ts';

/** Whether a document matches a filter by the manual's query operators: an oracle, slow and plain. */
export function matches(doc: Doc, filter: Doc): boolean {
  return Object.entries(filter).every(([key, value]) => {
    if (key === '$or') return (value as Doc[]).some((part) => matches(doc, part));
    return meets(reach(doc, key.split('.')), value);
  });
}

function meets(values: readonly unknown[], condition: unknown): boolean {
  if (!isDoc(condition) || !Object.keys(condition)[0]?.startsWith('$')) {
    return values.some((value) => equals(value, condition));
  }
  return Object.entries(condition).every(([operator, operand]) => meetsOperator(values, operator, operand));
}

function meetsOperator(values: readonly unknown[], operator: string, operand: unknown): boolean {
  switch (operator) {
    case '$ne':
      return !values.some((value) => equals(value, operand));
    case '$in':
      return values.some((value) => (operand as unknown[]).some((member) => equals(value, member)));
    case '$nin':
      return !values.some((value) => (operand as unknown[]).some((member) => equals(value, member)));
    case '$exists':
      return values.some((value) => value !== MISSING) === operand;
    case '$regex':
      return values.some((value) => typeof value === 'string' && new RegExp(operand as string).test(value));
    default:
      return values.some((value) => isOrdered(value, operator, operand));
  }
}

function equals(value: unknown, wanted: unknown): boolean {
  if (value === MISSING) return wanted === null;
  return isSameType(value, wanted) && compare(value, wanted) === 0;
}

function isOrdered(value: unknown, operator: string, bound: unknown): boolean {
  if (!isSameType(value, bound)) return false;
  const isInclusive = operator === '$gte' || operator === '$lte';
  const nans = Number(Number.isNaN(value)) + Number(Number.isNaN(bound));
  if (nans > 0) return isInclusive && nans === 2;
  const order = compare(value, bound);
  if (order === 0) return isInclusive;
  return operator.startsWith('$gt') ? order > 0 : order < 0;
}
