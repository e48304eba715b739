import { z } from "zod"
import type { Facts } from "../facts.ts"

/** Plain decimals of the ledger's precision: no sign, no exponent. */
const decimal = z.string().regex(/^\d{1,12}(\.\d{1,9})?$/, "is not a price: a plain decimal")
const factors = z.record(z.string(), decimal)
const tokens = z.int().positive()
/** Classes that this version does not know are kept: a price that has one is refused when it is read. */
const priceSchema = z
  .object({
    tiers: z.array(z.object({ above: tokens }).catchall(decimal)).optional(),
    modes: factors.optional(),
  })
  .catchall(decimal)
const modelSchema = z.looseObject({
  kind: z.string(),
  created: z.int().positive().optional(),
  owner: z.string().optional(),
  context: tokens.optional(),
  max_output: tokens.optional(),
  own_searches: tokens.optional(),
  dialects: z.array(z.string()).optional(),
  price: priceSchema.optional(),
})
const servicesSchema = z
  .object({
    modes: factors.optional(),
    regional: z.object({ factor: decimal, hosts: z.string(), since: z.iso.date() }).optional(),
  })
  .catchall(decimal)
const factsSchema = z.looseObject({
  date: z.iso.date(),
  generated_from: z.array(z.looseObject({ name: z.string(), date: z.iso.date() })),
  services: z.record(z.string(), servicesSchema).optional(),
  vendors: z.record(z.string(), z.record(z.string().max(200), modelSchema)),
})

/** The facts in a text, or the first thing that is wrong with it. */
export function parseFacts(text: string): Facts | { readonly fault: string } {
  try {
    return checkFacts(JSON.parse(text))
  } catch {
    return { fault: "it is not JSON" }
  }
}

/** The same for parsed JSON. */
export function checkFacts(document: unknown): Facts | { readonly fault: string } {
  const parsed = factsSchema.safeParse(document)
  if (!parsed.success) {
    const [issue] = parsed.error.issues
    return { fault: `${issue?.path.join(".") ?? ""} ${issue?.message ?? "is wrong"}`.trim() }
  }
  return parsed.data as Facts
}
