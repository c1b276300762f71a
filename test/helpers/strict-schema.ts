import { z } from 'zod';

type Def = { type: string } & Record<string, unknown>;

/** The schema without open objects or untyped parts: rejects unlisted fields everywhere. */
export function strictSchema(schema: z.ZodType, around: z.ZodType[] = []): z.ZodType {
  if (around.includes(schema)) return z.lazy(() => strictSchema(schema));
  const def = schema._zod.def as unknown as Def;
  const strict = (part: z.ZodType) => strictSchema(part, [...around, schema]);
  const inner = (name: string) => strict(def[name] as z.ZodType);
  const clone = (change: Record<string, unknown>) =>
    z.core.clone(schema, { ...def, ...change } as never) as z.ZodType;
  switch (def.type) {
    case 'object': {
      const catchall = def['catchall'] as z.ZodType | undefined;
      if (catchall !== undefined && catchall._zod.def.type !== 'never') {
        throw new Error('a response schema has an open object');
      }
      const shape = Object.fromEntries(Object.entries(def['shape'] as Record<string, z.ZodType>).map(
        ([name, field]) => [name, strict(field)],
      ));
      return clone({ shape, catchall: z.never() });
    }
    case 'array':
      return clone({ element: inner('element') });
    case 'record':
      return clone({ valueType: inner('valueType') });
    case 'union':
      return clone({ options: (def['options'] as z.ZodType[]).map(strict) });
    case 'intersection':
      return clone({ left: inner('left'), right: inner('right') });
    case 'tuple':
      return clone({ items: (def['items'] as z.ZodType[]).map(strict) });
    case 'optional':
    case 'nullable':
    case 'default':
    case 'readonly':
    case 'nonoptional':
      return clone({ innerType: inner('innerType') });
    case 'pipe':
      return inner('out');
    case 'lazy':
      return z.lazy(() => strictSchema((def['getter'] as () => z.ZodType)()));
    case 'any':
    case 'unknown':
    case 'custom':
    case 'transform':
      throw new Error(`a response schema is untyped (${def.type})`);
    default:
      return schema;
  }
}
