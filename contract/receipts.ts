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
export const requestPage = page(requestSummary)

/** The newest first. All filters have to hold. */
export const requestQuery = pageQuery.extend({
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
  from: moment.optional(),
  to: moment.optional(),
})
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
  usage: namedNumbers.nullable(),
  /** As the vendor told it, where that is more than the request can have used: the rest is written off. */
  usage_reported: namedNumbers.optional(),
  usage_beyond_bound: z.boolean().optional(),
  estimated: z.boolean(),
  price: z.looseObject({ per_million: namedCredits, multiplier: credits }).nullable(),
  arithmetic: z
    .array(
      z.object({
        class: z.string(),
        quantity: z.number(),
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
    }),
  ),
  losses: z.array(z.looseObject({ name: z.string(), effect: z.string() })),
  entry: z
    .looseObject({ number: z.number(), amount: credits, balance: credits, hash: z.string() })
    .nullable(),
})
export type CallerReceipt = z.infer<typeof callerReceipt>

/** The same as the console shows it. */
export const receipt = callerReceipt.extend({
  /** What was asked and answered; null unless the account keeps them. */
  content: z.object({ request: z.unknown(), answer: z.unknown() }).nullable(),
})
export type Receipt = z.infer<typeof receipt>

/** `/admin/v1/receipts`: the requests that were made. */
export const receiptRoutes = {
  "GET /receipts": route({
    summary: "The requests of an account, or of all that you may see, the newest first",
    minimumRole: "session",
    query: requestQuery,
    answer: requestPage,
  }),
  "GET /receipts/{request}": route({
    summary: "One request's receipt: its attempts, usage, price and charge",
    minimumRole: "viewer",
    answer: receipt,
  }),
}
