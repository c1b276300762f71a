import { BsonType, Fields, type Value } from '../bson/value.ts';
import type { BsonWriter } from '../bson/write.ts';

/** A document or array being changed; unchanged members stay encoded. */
export class Branch {
  readonly type: number;
  /** By name; in an array, by position. */
  readonly members = new Map<string, Node>();

  constructor(type: number) {
    this.type = type;
  }
}

export type Node = Value | Branch;

/** Decodes one level of a document or array. */
export function openBranch(value: Value): Branch {
  const branch = new Branch(value.type);
  const fields = new Fields(value);
  while (fields.advance()) branch.members.set(fields.name, fields.value());
  return branch;
}

/** The member as a branch, decoded if necessary; null if it is neither document nor array. */
export function branchAt(parent: Branch, name: string): Branch | null {
  const node = parent.members.get(name);
  if (node === undefined || node instanceof Branch) return node ?? null;
  if (node.type !== BsonType.object && node.type !== BsonType.array) return null;
  const branch = openBranch(node);
  parent.members.set(name, branch);
  return branch;
}

/** Writes the member `first` before the others. */
export function writeBranch(branch: Branch, writer: BsonWriter, first?: string): void {
  const start = writer.begin();
  const lead = first === undefined ? undefined : branch.members.get(first);
  if (first !== undefined && lead !== undefined) writeMember(first, lead, writer);
  for (const [name, node] of branch.members) if (name !== first) writeMember(name, node, writer);
  writer.end(start);
}

function writeMember(name: string, node: Node, writer: BsonWriter): void {
  if (!(node instanceof Branch)) return writer.element(name, node);
  writer.head(node.type, name);
  writeBranch(node, writer);
}
