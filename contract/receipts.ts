import * as z from "zod"
import { credits, identifier, moment, page, pageQuery } from "./common.ts"
import { route } from "./route.ts"

/** One request in a list. `GET /admin/v1/receipts/{request}` gives the whole receipt, as `/v1/receipts/{id}` does. */
export const requestSummary = z.object({
  id: identifier,
  account: identifier,
  key: identifier,
  key_name: z.string().nullable(),
  endpoint: z.string(),
  model: z.string(),
  provider: z.string().nullable(),
  user: z.string().optional(),
  session: z.string().optional(),
  tags: z.record(z.string(), z.string()).optional(),
  status: z.enum(["settled", "released", "expired"]),
  /** `ok`; `written_off` where a part of the cost was not charged; or how the last attempt ended, in words of the error table. */
  outcome: z.string(),
  stream: z.boolean(),
  estimated: z.boolean(),
  at: moment,
  duration_ms: z.int().nullable(),
  first_byte_ms: z.int().nullable(),
  input: z.int(),
  output: z.int(),
  /** What was charged. */
  cost: credits,
  /** What it cost beyond that; only operators are told. */
  written_off: credits.optional(),
})
export type RequestSummary = z.infer<typeof requestSummary>
export const requestPage = page(requestSummary).extend({
  /**
   * Set where so many requests would have to be read that only those since then were: of a list of the newest, its
   * `next_cursor` goes on with older ones; for other orders ask with an earlier `to`.
   */
  looked_back_to: moment.nullable(),
})
export type RequestPage = z.infer<typeof requestPage>

const costBound = z
  .string()
  .regex(/^\d{1,9}(\.\d{1,9})?$/, "must be credits as decimal text, such as 0.05")
const milliseconds = z.coerce.number<number>().int().min(0).max(1e12)

/** Which requests are meant. All filters have to hold. */
export const requestFilter = z.object({
  account: identifier.optional(),
  key: identifier.optional(),
  /** An exact id or a glob. */
  model: z.string().max(200).optional(),
  provider: z.string().max(100).optional(),
  endpoint: z.string().max(100).optional(),
  /** The caller's end user. */
  user: z.string().max(128).optional(),
  session: z.string().max(128).optional(),
  /** `name=value`. */
  tag: z.string().max(200).optional(),
  status: z.enum(["ok", "failed", "written_off"]).optional(),
  /** A part of the outcome or of the request's id. */
  search: z.string().max(100).optional(),
  /** Of what was charged, this included. */
  min_cost: costBound.optional(),
  max_cost: costBound.optional(),
  /** Of the time from its arrival to the end of its answer, this included. */
  min_duration_ms: milliseconds.optional(),
  max_duration_ms: milliseconds.optional(),
  from: moment.optional(),
  to: moment.optional(),
})
export type RequestFilterQuery = z.infer<typeof requestFilter>

/** `GET /admin/v1/receipts.csv`: all of a list, as far as a spreadsheet can take them. */
export const requestTableQuery = requestFilter.extend({
  sort: z.enum(["newest", "dearest", "slowest"]).default("newest"),
})
export type RequestTableQuery = z.infer<typeof requestTableQuery>

export const requestQuery = pageQuery.extend(requestTableQuery.shape)
export type RequestQuery = z.infer<typeof requestQuery>

const namedNumbers = z.record(z.string(), z.number())
const namedCredits = z.record(z.string(), credits)

/** A receipt as its caller sees it, at `/v1/receipts/{id}`: what `relay/billing/receipt.ts` writes and shows. */
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
  /** The name by which the request asked for it, where that is another. */
  requested_model: z.string().optional(),
  /** The caller's end user, the session, and tags, as the request named them. */
  user: z.string().optional(),
  session: z.string().optional(),
  tags: z.record(z.string(), z.string()).optional(),
  stream: z.boolean(),
  deployment: z.string().nullable(),
  /** Why the first attempt went where it did; absent where there was no choice. */
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
  /** As the vendor told it, where that is more than the request can have used: the rest is written off. */
  usage_reported: namedNumbers.optional(),
  usage_beyond_bound: z.boolean().optional(),
  estimated: z.boolean(),
  price: z
    .looseObject({
      per_million: namedCredits,
      multiplier: credits,
      /** Minimum seconds of audio charged per request; absent without a minimum. */
      minimum_seconds: z.int().optional(),
      /** The period of the price that applied when the request was admitted; absent outside of all its periods. */
      period: z
        .object({
          name: z.string().nullable(),
          /** The interval during which it applied without a break; null: no beginning or no end. */
          from: moment.nullable(),
          until: moment.nullable(),
        })
        .optional(),
      /** The price group that it is of, and since when its term holds. */
      group: z
        .object({
          id: z.string(),
          from: moment,
          /** The group's own, which is a part of the multiplier; absent where its rate card names the price. */
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
        /** Set if the quantity is the minimum of the price, because less was used. */
        is_minimum: z.literal(true).optional(),
        per_million: credits,
        /** Set where another model than the request's own was used too. */
        model: z.string().optional(),
      }),
    )
    .nullable(),
  /** The modes of service that it was served in, such as `priority`; they are in the rates. */
  modes: z.array(z.string()).optional(),
  /** Places in the request of what was passed on without a price. */
  unpriced: z.array(z.string()).optional(),
  formula: z.string(),
  cost: credits,
  charged: credits,
  /** What it cost and was not charged, and why. */
  written_off: credits,
  write_offs: z.array(z.object({ amount: credits, reason: z.string() })),
  /** Whether it was settled after its process had been taken for dead. */
  late: z.boolean(),
  hold: credits,
  attempts: z.array(
    z.looseObject({
      deployment: z.string(),
      status: z.number(),
      outcome: z.string(),
      duration: z.number(),
      /** Why it failed: the cause of a connection failure, or what the vendor's error is about; only for operators. */
      cause: z.string().optional(),
      /** What a failed attempt cost the operator, as far as its vendor has counted; only operators are told. */
      provider_cost: credits.optional(),
    }),
  ),
  losses: z.array(z.looseObject({ name: z.string(), effect: z.string() })),
  entry: z
    .looseObject({ number: z.number(), amount: credits, balance: credits, hash: z.string() })
    .nullable(),
})
export type CallerReceipt = z.infer<typeof callerReceipt>

/** The same as the console shows it. What it cost the operator, only operators are told. */
export const receipt = callerReceipt.extend({
  /** What the vendor asks for it, where the arithmetic before the multiplier does not come to that. */
  provider_cost: credits.optional(),
  /** What was asked and answered; null unless the account keeps them. */
  content: z.object({ request: z.unknown(), answer: z.unknown() }).nullable(),
})
export type Receipt = z.infer<typeof receipt>

/** `/admin/v1/receipts`: the requests that were made. */
export const receiptRoutes = {
  "GET /receipts": route({
    summary:
      "The requests of an account, or of all that you may see: the newest, dearest or slowest first",
    minimumRole: "session",
    query: requestQuery,
    answer: requestPage,
  }),
  "GET /receipts.csv": route({
    summary: "The same as a CSV file, at most 50,000 of them",
    minimumRole: "session",
    query: requestTableQuery,
  }),
  "GET /receipts/{request}": route({
    summary: "One request's receipt: its attempts, usage, price and charge",
    minimumRole: "viewer",
    answer: receipt,
  }),
}
