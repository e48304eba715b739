import { z } from "zod"
import { WEEKDAYS } from "#contract/price-periods.ts"
import { once } from "../../canon/once.ts"
import { dayHours, periodFindings, periodScalars } from "../../config/price-periods.ts"
import { Fault, type Reader } from "../../config/reading.ts"
import { minimumSeconds } from "../../config/scalars.ts"
import type { Facts } from "../facts.ts"

/** Validates text in a price list like the corresponding setting. */
function asWritten(reader: Reader<unknown>) {
  return z
    .string()
    .optional()
    .superRefine((written, context) => {
      const read = reader.readOne(written)
      if (read instanceof Fault) context.addIssue({ code: "custom", message: read.message })
    })
}

/** Returns the schema of a price list. It is created for the first list, because most starts read none. */
const factsSchema = once(() => {
  /** Plain decimals with the precision of the ledger, without sign or exponent. */
  const decimal = z.string().regex(/^\d{1,12}(\.\d{1,9})?$/, "is not a price: a plain decimal")
  const factors = z.record(z.string(), decimal)
  const tokens = z.int().positive()
  /** Unsupported classes are kept here. Prices with such a class are rejected when they are read. */
  const tiers = z.array(z.object({ above: tokens }).catchall(decimal)).optional()
  const card = {
    minimum_seconds: asWritten(minimumSeconds()),
    tiers,
    modes: z
      .record(z.string(), z.union([decimal, z.object({ tiers }).catchall(decimal)]))
      .optional(),
  }
  const text = z.string().max(100)
  const { from, until, zone } = periodScalars
  const periodSchema = z
    .object({
      name: text.optional(),
      from: asWritten(from),
      until: asWritten(until),
      zone: asWritten(zone),
      days: z.array(z.enum(WEEKDAYS)).min(1).optional(),
      hours: z.array(asWritten(dayHours)).min(1).optional(),
      ...card,
    })
    .catchall(decimal)
  const priceSchema = z
    .object({ ...card, periods: z.array(periodSchema).optional() })
    .catchall(decimal)
    .superRefine((price, context) => {
      for (const { path, message } of periodFindings([], price)) {
        context.addIssue({ code: "custom", path: [...path], message })
      }
    })
  const modelSchema = z.looseObject({
    kind: z.string(),
    created: z.int().positive().optional(),
    owner: z.string().optional(),
    context: tokens.optional(),
    max_output: tokens.optional(),
    own_searches: tokens.optional(),
    regional: decimal.optional(),
    dialects: z.array(z.string()).optional(),
    price: priceSchema.optional(),
  })
  const servicesSchema = z
    .object({
      modes: factors.optional(),
      regional: z.object({ factor: decimal, hosts: z.string(), since: z.iso.date() }).optional(),
    })
    .catchall(decimal)
  return z.looseObject({
    date: z.iso.date(),
    generated_from: z.array(z.looseObject({ name: z.string(), date: z.iso.date() })),
    services: z.record(z.string(), servicesSchema).optional(),
    vendors: z.record(z.string(), z.record(z.string().max(200), modelSchema)),
  })
})

/** Parses the facts in a text, or returns the first fault. */
export function parseFacts(text: string): Facts | { readonly fault: string } {
  try {
    return checkFacts(JSON.parse(text))
  } catch {
    return { fault: "it is not JSON" }
  }
}

/** Validates the facts in parsed JSON, or returns the first fault. */
export function checkFacts(document: unknown): Facts | { readonly fault: string } {
  const parsed = factsSchema().safeParse(document)
  if (!parsed.success) {
    const [issue] = parsed.error.issues
    return { fault: `${issue?.path.join(".") ?? ""} ${issue?.message ?? "is wrong"}`.trim() }
  }
  return parsed.data as Facts
}
