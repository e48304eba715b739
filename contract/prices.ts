import * as z from "zod"
import { moment } from "./common.ts"
import { route } from "./route.ts"

const day = z.iso.date()

/** How one price changes, part by part; decimals are credits per million units. */
export const priceChange = z.object({
  vendor: z.string(),
  /** Null: what the vendor charges besides its models. */
  model: z.string().nullable(),
  change: z.enum(["added", "removed", "dearer", "cheaper"]),
  parts: z.array(
    z.object({
      /** `output`, `output above 200000`, `mode priority`, `input in peak (Mon-Fri, 09:00-12:00 UTC)`. */
      name: z.string(),
      before: z.string().nullable(),
      after: z.string().nullable(),
    }),
  ),
})
export type PriceChangeDocument = z.infer<typeof priceChange>

/** `GET /admin/v1/prices` */
export const priceLists = z.object({
  /** The day of the list in force. */
  date: z.string(),
  /** `built in`, or where it came from. */
  source: z.string(),
  /** When it was put in force; null for the built-in one. */
  since: moment.nullable(),
  /** The day of the built-in list. */
  built_in: z.string(),
  /** The newer list that waits, and what it would change. */
  pending: z
    .object({
      date: z.string(),
      source: z.string(),
      found_at: moment,
      dearer: z.int(),
      cheaper: z.int(),
      added: z.int(),
      removed: z.int(),
      changes: z.array(priceChange),
    })
    .nullable(),
})
export type PriceListsDocument = z.infer<typeof priceLists>

/** `/admin/v1/prices`: which list of known prices is in force, and which one waits. */
export const priceRoutes = {
  "GET /prices": route({
    summary: "The list of known prices in force, and what the one that waits would change",
    minimumRole: "operator",
    answer: priceLists,
  }),
  "POST /prices/apply": route({
    summary: "Put the list in force that waits",
    minimumRole: "operator",
    /** The day of the list that was looked at. */
    body: z.object({ date: day }),
    answer: priceLists,
  }),
}
