import * as z from "zod"
import { credits, identifier, moment, page, pageQuery, priceGroupId } from "./common.ts"
import { route } from "./route.ts"

/**
 * One request in a list. `GET /admin/v1/receipts/{request}` returns the complete receipt, and so does
 * `/v1/receipts/{id}`.
 */
export const requestSummary = z.object({
  id: identifier,
  account: identifier,
  key: identifier,
  key_name: z.string().nullable(),
  endpoint: z.string(),
  model: z.string(),
  /** The provider that was called last; null if no provider was called, or if the caller does not see costs. */
  provider: z.string().nullable(),
  user: z.string().optional(),
  session: z.string().optional(),
  tags: z.record(z.string(), z.string()).optional(),
  status: z.enum(["settled", "released", "expired"]),
  /**
   * `ok`, `written_off` if a part of the cost was not charged, or the outcome of the last attempt as a code of the
   * error table.
   */
  outcome: z.string(),
  stream: z.boolean(),
  estimated: z.boolean(),
  at: moment,
  duration_ms: z.int().nullable(),
  first_byte_ms: z.int().nullable(),
  input: z.int(),
  output: z.int(),
  /** Charged amount. */
  cost: credits,
  /** Cost that was not charged. Only operators receive it. */
  written_off: credits.optional(),
})
export type RequestSummary = z.infer<typeof requestSummary>
export const requestPage = page(requestSummary).extend({
  /**
   * Set if the range contains too many requests. Then only requests since this time were read. A list sorted by newest
   * continues with `next_cursor`. For other orders, repeat the query with an earlier `to`.
   */
  searched_from: moment.nullable(),
})
export type RequestPage = z.infer<typeof requestPage>

const costBound = z
  .string()
  .regex(/^\d{1,9}(\.\d{1,9})?$/, "must be credits as decimal text, such as 0.05")
const milliseconds = z.coerce.number<number>().int().min(0).max(1e12)

/** Selects requests. A request must match all filters. */
export const requestFilter = z.object({
  account: identifier.optional(),
  key: identifier.optional(),
  /** An exact model id or a glob. */
  model: z.string().max(200).optional(),
  provider: z.string().max(100).optional(),
  endpoint: z.string().max(100).optional(),
  /** The price group that determined the price. */
  price_group: priceGroupId.optional(),
  /** The end user that the caller named in the request. */
  user: z.string().max(128).optional(),
  session: z.string().max(128).optional(),
  /** A tag in the form `name=value`. */
  tag: z.string().max(200).optional(),
  status: z.enum(["ok", "failed", "written_off"]).optional(),
  /**
   * A part of an error message, the outcome, the model or the name of the key, regardless of case; or the beginning of
   * the request id, the end user, the session or a tag `name=value`. Error messages are stored for seven days.
   */
  search: z.string().max(100).optional(),
  /** Minimum charged amount, inclusive. */
  min_cost: costBound.optional(),
  max_cost: costBound.optional(),
  /** Minimum time from receiving the request to the end of the response, inclusive. */
  min_duration_ms: milliseconds.optional(),
  max_duration_ms: milliseconds.optional(),
  from: moment.optional(),
  to: moment.optional(),
})
export type RequestFilterQuery = z.infer<typeof requestFilter>

/**
 * The query of `GET /admin/v1/receipts.csv`, which downloads the complete list, up to the row limit of spreadsheets.
 */
export const requestTableQuery = requestFilter.extend({
  sort: z.enum(["newest", "most_expensive", "slowest"]).default("newest"),
})
export type RequestTableQuery = z.infer<typeof requestTableQuery>

export const requestQuery = pageQuery.extend(requestTableQuery.shape)
export type RequestQuery = z.infer<typeof requestQuery>

const namedNumbers = z.record(z.string(), z.number())
/** A rate that may include a multiplier, so it may have more decimal places than an amount. */
const rate = z
  .string()
  .regex(/^\d{1,20}(\.\d{1,15})?$/, "must be credits as decimal text, such as 12.50")
  .meta({ description: "Credits per million units as exact decimal text", example: "12.5" })
const namedRates = z.record(z.string(), rate)

/** A receipt as callers see it at `/v1/receipts/{id}`. It is created by `relay/billing/receipt.ts`. */
const callerReceipt = z.looseObject({
  id: identifier,
  object: z.literal("receipt"),
  status: z.enum(["settled", "released", "expired"]),
  created_at: moment,
  first_byte_ms: z.number().nullable(),
  duration_ms: z.number(),
  account: identifier,
  key: identifier,
  endpoint: z.string(),
  model: z.string(),
  /** The model name in the request, if it differs from the model id. */
  requested_model: z.string().optional(),
  /** The end user, the session and the tags named in the request. */
  user: z.string().optional(),
  session: z.string().optional(),
  tags: z.record(z.string(), z.string()).optional(),
  stream: z.boolean(),
  /** The deployment that answered; null if no deployment answered, or if the caller does not see costs. */
  deployment: z.string().nullable(),
  /** The reason why the first deployment was chosen; absent if there was no choice. */
  routed_by: z
    .enum([
      "state",
      "cache_key",
      "session",
      "prompt",
      "weight",
      "order",
      "price",
      "latency",
      "least_busy",
      "throughput",
      "models",
      "provider.order",
      "provider.only",
      "provider.ignore",
      "provider.sort",
      "provider.max_price",
    ])
    .optional(),
  usage: namedNumbers.nullable(),
  /**
   * The vendor's reported usage, if it exceeds the maximum usage that is possible for the request. The excess is
   * written off.
   */
  usage_reported: namedNumbers.optional(),
  usage_beyond_bound: z.boolean().optional(),
  estimated: z.boolean(),
  price: z
    .looseObject({
      per_million: namedRates,
      /** `1` if the rates include the multiplier, because the caller does not see costs. */
      multiplier: credits,
      /** Minimum number of seconds of audio charged per request; no minimum if absent. */
      minimum_seconds: z.int().optional(),
      /**
       * The price period that applied when the request was admitted; absent outside all periods.
       */
      period: z
        .object({
          name: z.string().nullable(),
          /** The uninterrupted interval during which the period applied; null means no beginning or no end. */
          from: moment.nullable(),
          until: moment.nullable(),
        })
        .optional(),
      /** The price group of the account, and the start of the term that applied. */
      group: z
        .object({
          id: z.string(),
          from: moment,
          /** The group's part of the multiplier; absent if the group's rate card sets the price. */
          multiplier: credits.optional(),
        })
        .optional(),
    })
    .nullable(),
  arithmetic: z
    .array(
      z.object({
        class: z.string(),
        quantity: z.number(),
        /** Set if less was used than the minimum of the price. The quantity is then the minimum. */
        is_minimum: z.literal(true).optional(),
        per_million: rate,
        /** The model of this usage; set if it differs from the requested model. */
        model: z.string().optional(),
      }),
    )
    .nullable(),
  /** The service modes of the request, such as `priority`. The rates include the prices of these modes. */
  modes: z.array(z.string()).optional(),
  /** Paths of request fields that were forwarded without a price. */
  unpriced: z.array(z.string()).optional(),
  formula: z.string(),
  cost: credits,
  charged: credits,
  /** Cost that was not charged, and the reason. */
  written_off: credits,
  write_offs: z.array(z.object({ amount: credits, reason: z.string() })),
  /** Set if the request was settled after its process was considered dead. */
  late: z.boolean(),
  hold: credits,
  /** The upstream calls; empty if the caller does not see costs. */
  attempts: z.array(
    z.looseObject({
      deployment: z.string(),
      status: z.number(),
      outcome: z.string(),
      duration: z.number(),
      /** The cause of a connection failure, or the category of the vendor's error. Only operators see it. */
      cause: z.string().optional(),
      /**
       * The operator's cost of a failed attempt, computed from the usage that the vendor reported. Only operators see
       * it.
       */
      provider_cost: credits.optional(),
    }),
  ),
  losses: z.array(z.looseObject({ name: z.string(), effect: z.string() })),
  entry: z
    .looseObject({ number: z.number(), amount: credits, balance: credits, hash: z.string() })
    .nullable(),
})
export type CallerReceipt = z.infer<typeof callerReceipt>

/** A receipt in the form that the console shows. Only operators see the provider cost. */
export const receipt = callerReceipt.extend({
  /** The vendor's charge, if it differs from the computed cost before the multiplier. Only operators see it. */
  provider_cost: credits.optional(),
  /** The request and the response; null unless the account stores content. */
  content: z.object({ request: z.unknown(), response: z.unknown() }).nullable(),
})
export type Receipt = z.infer<typeof receipt>

/** `/admin/v1/receipts`: past requests. */
export const receiptRoutes = {
  "GET /receipts": route({
    summary:
      "List the requests of an account, or of all your accounts: newest, most expensive or slowest first",
    minimumRole: "session",
    query: requestQuery,
    response: requestPage,
  }),
  "GET /receipts.csv": route({
    summary: "Download up to 50,000 of these admitted requests as a CSV file",
    minimumRole: "session",
    query: requestTableQuery,
  }),
  "GET /receipts/{request}": route({
    summary: "Get the receipt of a request: its attempts, usage, price and charge",
    minimumRole: "viewer",
    response: receipt,
  }),
}
