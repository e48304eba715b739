import * as z from "zod"
import { commaFault } from "./comma.ts"
import { ACCOUNT_ROLES } from "./roles.ts"

/**
 * What all resources of the management API share. The console imports types, and of values only what needs no
 * schema (`amounts.ts`, `client.ts`, `tools.ts`), so that no schema is in the browser's bundle.
 */

/** Why a text is no amount. */
function amountFault(wanted: string) {
  return {
    error: ({ input }: { readonly input?: unknown }): string =>
      (typeof input === "string" ? commaFault(input) : undefined) ?? wanted,
  }
}

/** Credits as exact decimal text: `12.5`, `-0.000000001`. Sums have more digits than what is typed. */
export const credits = z
  .string()
  .regex(/^-?\d{1,20}(\.\d{1,9})?$/, amountFault("must be credits as decimal text, such as 12.50"))
  .meta({ description: "Credits as exact decimal text", example: "12.5" })

/** What one step may add to an account or take from it. */
export const creditChange = z
  .string()
  .regex(/^-?\d{1,9}(\.\d{1,9})?$/, amountFault("must be credits as decimal text, such as 12.50"))
  .meta({ description: "Credits as decimal text, below zero to take them out", example: "12.5" })

/** Credits above zero. */
export const positiveCredits = z
  .string()
  .regex(
    /^(?=.*[1-9])\d{1,9}(\.\d{1,9})?$/,
    amountFault("must be credits above zero, such as 12.50"),
  )
  .meta({ description: "Credits above zero, as decimal text", example: "12.5" })

/** A moment, ISO 8601 in UTC. */
export const moment = z.iso.datetime().meta({ description: "ISO 8601, UTC" })

/** What steers a terminal, and halves of characters: these are lost on disk, and then no hash fits. */
const UNPRINTABLE = /[\p{Cc}\p{Cs}]/u

/** Whether a text is made of whole characters that can be shown. */
export function isPrintable(text: string): boolean {
  return !UNPRINTABLE.test(text)
}

/** A name that people give: shown, never interpreted. */
export const label = z
  .string()
  .trim()
  .min(1, "must not be empty")
  .max(100, "must have at most 100 characters")
  .refine(isPrintable, "must have no control characters and no half ones")

/** Names of models, with `*` for any part. */
export const glob = z
  .string()
  .trim()
  .min(1)
  .max(200)
  .refine(isPrintable, "must have no control characters and no half ones")

/** The id that an operator gives a price group. */
export const priceGroupId = z
  .string()
  .regex(/^[a-z0-9][a-z0-9-]{0,62}$/, "must be small letters, digits and hyphens, such as partners")

export const identifier = z.string().min(1).max(100)

export const email = z
  .email("must be an e-mail address")
  .max(200)
  .transform((text) => text.toLowerCase())

/** How a page of a list is asked for. */
export const pageQuery = z.object({
  limit: z.coerce.number<number>().int().min(1).max(200).default(50),
  /** `next_cursor` of the page before. */
  cursor: z.string().max(200).optional(),
})

/** A page of a list; `next_cursor` is null on the last one. */
export function page<Item extends z.ZodType>(item: Item) {
  return z.object({
    object: z.literal("list"),
    data: z.array(item),
    next_cursor: z.string().nullable(),
  })
}

/** A page, as code handles it. */
export interface Page<Item> {
  readonly object: "list"
  readonly data: readonly Item[]
  readonly next_cursor: string | null
}

/** `operator`: runs the gateway. The others: what a user may do in one account. */
export const accountRole = z.enum(ACCOUNT_ROLES)
export type { AccountRole } from "./roles.ts"

/** What a step answers that shows nothing. */
export const done = z.object({ ok: z.literal(true) })
