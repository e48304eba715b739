import * as z from "zod"
import { moment } from "./common.ts"
import { route } from "./route.ts"

const day = z.iso.date()

/** A change to one part of a price. Decimals are credits per million units. */
export const priceChange = z.object({
  vendor: z.string(),
  /** The model; null means a service that the vendor charges in addition to its models. */
  model: z.string().nullable(),
  change: z.enum(["added", "removed", "increased", "decreased"]),
  parts: z.array(
    z.object({
      /**
       * The part of the price: `output`, `output above 200000`, `mode priority`, `input in peak (Mon-Fri, 09:00-12:00
       * UTC)`.
       */
      name: z.string(),
      before: z.string().nullable(),
      after: z.string().nullable(),
    }),
  ),
})
export type PriceChangeDocument = z.infer<typeof priceChange>

/** The response of `GET /admin/v1/prices`. */
export const priceLists = z.object({
  /** The date of the active list. */
  date: z.string(),
  /** The source of the active list; `built in` for the built-in list. */
  source: z.string(),
  /** Time when the list became active; null for the built-in list. */
  since: moment.nullable(),
  /** The date of the built-in list. */
  built_in: z.string(),
  /** A newer list that is not active yet, with the changes that it would make. */
  pending: z
    .object({
      date: z.string(),
      source: z.string(),
      found_at: moment,
      increased: z.int(),
      decreased: z.int(),
      added: z.int(),
      removed: z.int(),
      changes: z.array(priceChange),
    })
    .nullable(),
})
export type PriceListsDocument = z.infer<typeof priceLists>

/** `/admin/v1/prices`: the active and the pending list of known prices. */
export const priceRoutes = {
  "GET /prices": route({
    summary: "Get the active price list, and the changes of the pending one",
    minimumRole: "operator",
    response: priceLists,
  }),
  "POST /prices/apply": route({
    summary: "Apply the pending price list",
    minimumRole: "operator",
    /** The date of the list that the operator reviewed. */
    body: z.object({ date: day }),
    response: priceLists,
  }),
}
