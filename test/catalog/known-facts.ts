/** Reads facts.json with a schema that is independent of the gateway's. */
import { existsSync } from "node:fs"
import { join } from "node:path"
import { z } from "zod"
import { MODEL_KIND_NAMES } from "tollgate-contract/model-kinds.ts"
import { WEEKDAYS } from "tollgate-contract/price-periods.ts"
import { SERVICE_PRICE_NAMES } from "tollgate-contract/usage-classes.ts"
import { dialects, priceClasses } from "../../price-data/shape.ts"
import type { PriceClass } from "../../price-data/shape.ts"

export const root = join(import.meta.dir, "../..")
export const fixtures = join(root, "../shared/fixtures/prices")
export const factsPath = join(root, "src/catalog/facts.json")
export const present = existsSync(fixtures)

export const decimal = z.string().regex(/^(0|[1-9]\d*)(\.\d{0,8}[1-9])?$/)
const rateFields = Object.fromEntries(
  priceClasses.map((name) => [name, decimal.optional()]),
) as Record<PriceClass, z.ZodOptional<typeof decimal>>
export const tokens = z.int().positive()
const tiered = {
  ...rateFields,
  tiers: z.array(z.strictObject({ above: tokens, ...rateFields })).optional(),
}
const card = {
  ...tiered,
  minimum_seconds: z
    .string()
    .regex(/^[1-9]\d*$/)
    .optional(),
  modes: z.record(z.string(), z.union([decimal, z.strictObject(tiered)])).optional(),
}
const periodSchema = z.strictObject({
  name: z.string().optional(),
  from: z.string().optional(),
  until: z.string().optional(),
  zone: z.string().optional(),
  days: z.array(z.enum(WEEKDAYS)).optional(),
  hours: z.array(z.string()).optional(),
  ...card,
})
const priceSchema = z.strictObject({ ...card, periods: z.array(periodSchema).optional() })
const EFFORTS = ["none", "minimal", "low", "medium", "high", "xhigh", "max", "default"]
const modelSchema = z.strictObject({
  kind: z.enum(MODEL_KIND_NAMES),
  created: z.int().positive().optional(),
  owner: z.string().min(1).optional(),
  context: tokens.optional(),
  max_output: tokens.optional(),
  own_searches: tokens.optional(),
  regional: decimal.optional(),
  input: z.array(z.enum(["text", "image", "audio", "video", "pdf"])).optional(),
  tools: z.literal(true).optional(),
  reasoning: z.literal(true).optional(),
  efforts: z.array(z.enum(EFFORTS)).min(1).optional(),
  reasoning_switch: z.literal(true).optional(),
  reasoning_field: z.string().min(1).optional(),
  temperature: z.literal(false).optional(),
  structured_output: z.boolean().optional(),
  price: priceSchema.optional(),
  priced: z.iso.date().optional(),
  dialects: z.array(z.enum(dialects)).min(1).optional(),
})
const serviceFields = Object.fromEntries(
  SERVICE_PRICE_NAMES.map((name) => [name, decimal.optional()]),
)
const servicesSchema = z.strictObject({
  ...serviceFields,
  regional: z
    .strictObject({ factor: decimal, hosts: z.string().min(1), since: z.iso.date() })
    .optional(),
  minimum_seconds: z
    .string()
    .regex(/^[1-9]\d*$/)
    .optional(),
  modes: z.record(z.string(), decimal).optional(),
})
const factsSchema = z.strictObject({
  date: z.iso.date(),
  services: z.record(z.string(), servicesSchema),
  generated_from: z.array(
    z.strictObject({ name: z.string(), package: z.string(), date: z.iso.date() }),
  ),
  vendors: z.record(z.string(), z.record(z.string(), modelSchema)),
})

export const facts = factsSchema.parse(await Bun.file(factsPath).json())
export const models = Object.entries(facts.vendors).flatMap(([vendor, list]) =>
  Object.entries(list).map(([name, model]) => ({ id: `${vendor}/${name}`, ...model })),
)

export function known(vendor: string, name: string): z.infer<typeof modelSchema> {
  const model = facts.vendors[vendor]?.[name]
  if (model === undefined) throw new Error(`facts.json has no ${vendor}/${name}`)
  return model
}
