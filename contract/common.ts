import * as z from "zod"
import { commaFault } from "./comma.ts"
import { ACCOUNT_ROLES } from "./roles.ts"

/**
 * Schemas that all resources of the management API share. The console imports types, and values
 * only from modules without schemas (`amounts.ts`, `client.ts`, `tools.ts`), so its bundle contains
 * no schemas.
 */

/** Returns the error for a text that is not an amount. */
function amountFault(wanted: string) {
  return {
    error: ({ input }: { readonly input?: unknown }): string =>
      (typeof input === "string" ? commaFault(input) : undefined) ?? wanted,
  }
}

/** Credits as exact decimal text, such as `12.5` or `-0.000000001`. Sums can have more digits than typed amounts. */
export const credits = z
  .string()
  .regex(/^-?\d{1,20}(\.\d{1,9})?$/, amountFault("must be credits as decimal text, such as 12.50"))
  .meta({ description: "Credits as exact decimal text", example: "12.5" })

/** The amount that one operation adds to an account or debits from it. */
export const creditChange = z
  .string()
  .regex(/^-?\d{1,9}(\.\d{1,9})?$/, amountFault("must be credits as decimal text, such as 12.50"))
  .meta({ description: "Credits as decimal text, below zero to remove credits", example: "12.5" })

/** Credits above zero. */
export const positiveCredits = z
  .string()
  .regex(
    /^(?=.*[1-9])\d{1,9}(\.\d{1,9})?$/,
    amountFault("must be credits above zero, such as 12.50"),
  )
  .meta({ description: "Credits above zero, as decimal text", example: "12.5" })

/** A moment in UTC, in ISO 8601 format. */
export const moment = z.iso.datetime().meta({ description: "ISO 8601, UTC" })

/** Control characters and lone surrogates. Lone surrogates would be lost on disk, so the hash would no longer match. */
const UNPRINTABLE = /[\p{Cc}\p{Cs}]/u

/** Reports whether a text has only complete, printable characters. */
export function isPrintable(text: string): boolean {
  return !UNPRINTABLE.test(text)
}

/** A name that people choose. It is displayed and never interpreted. */
export const label = z
  .string()
  .trim()
  .min(1, "must not be empty")
  .max(100, "must have at most 100 characters")
  .refine(isPrintable, "must not contain control characters or unpaired surrogates")

/** A model name in which `*` stands for any text. */
export const glob = z
  .string()
  .trim()
  .min(1, "must not be empty")
  .max(200, "must have at most 200 characters")
  .refine(isPrintable, "must not contain control characters or unpaired surrogates")

/** The id of a price group, chosen by an operator. */
export const priceGroupId = z
  .string()
  .regex(
    /^[a-z0-9][a-z0-9-]{0,62}$/,
    "must be lowercase letters, digits and hyphens, such as partners",
  )

export const identifier = z.string().min(1).max(100)

export const email = z
  .email("must be an email address")
  .max(200)
  .transform((text) => text.toLowerCase())

/** The parameters of a page request. */
export const pageQuery = z.object({
  limit: z.coerce.number<number>().int().min(1).max(200).default(50),
  /** The `next_cursor` of the previous page. */
  cursor: z.string().max(200).optional(),
})

/**
 * Returns the schema of a page of a list. `next_cursor` is null on the last page. A page of long entries has fewer than
 * `limit`.
 */
export function page<Item extends z.ZodType>(item: Item) {
  return z.object({
    object: z.literal("list"),
    data: z.array(item),
    next_cursor: z.string().nullable(),
  })
}

export interface Page<Item> {
  readonly object: "list"
  readonly data: readonly Item[]
  readonly next_cursor: string | null
}

/** The role of a user in one account. Operators run the gateway and need no role. */
export const accountRole = z.enum(ACCOUNT_ROLES)
export type { AccountRole } from "./roles.ts"

/** The response of an operation without a result. */
export const done = z.object({ ok: z.literal(true) })
