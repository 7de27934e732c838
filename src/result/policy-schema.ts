import * as z from "zod";

export const policySchema = z.strictObject({
  name: z.string(),
  options: z.record(z.string(), z.union([z.number(), z.string(), z.boolean()])),
});

export type PolicyDescription = z.infer<typeof policySchema>;
