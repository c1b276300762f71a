import { z } from 'zod';

const anyJson = z.record(z.string(), z.unknown());

const parameter = z.object({ name: z.string(), in: z.string(), required: z.boolean(), description: z.string().optional(), schema: anyJson });

/** What the page shows of the OpenAPI document. */
export const referenceSchema = z.object({
  info: z.object({ title: z.string(), description: z.string() }),
  components: z.object({ schemas: z.record(z.string(), anyJson) }),
  paths: z.record(
    z.string(),
    z.record(
      z.string(),
      z.object({
        summary: z.string(),
        description: z.string().optional(),
        tags: z.array(z.string()),
        security: z.array(anyJson),
        parameters: z.array(parameter).default([]),
        requestBody: z.object({ content: z.record(z.string(), z.object({ schema: anyJson })) }).optional(),
        responses: z.record(z.string(), z.object({ description: z.string(), content: z.record(z.string(), z.object({ schema: anyJson })) })),
      }),
    ),
  ),
});

export type Reference = z.infer<typeof referenceSchema>;
