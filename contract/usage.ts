import * as z from "zod"
import { credits, identifier, moment } from "./common.ts"
import { route } from "./route.ts"

/** `GET /admin/v1/usage`: sums of the requests of a time, in groups. */
export const usageQuery = z.object({
  /** Absent: all that the asker may see. */
  account: identifier.optional(),
  key: identifier.optional(),
  model: z.string().max(200).optional(),
  from: moment,
  to: moment,
  group: z.enum(["hour", "day", "model", "key", "provider", "account", "outcome"]).default("day"),
})
export type UsageQuery = z.infer<typeof usageQuery>

export const usageRow = z.object({
  /** The hour or day it begins (ISO, UTC), or the model, key, provider, account or outcome. */
  group: z.string(),
  /** The name of the key or account. */
  name: z.string().optional(),
  requests: z.int(),
  errors: z.int(),
  input: z.int(),
  output: z.int(),
  /** What was charged. */
  cost: credits,
  /** What requests cost beyond that; only operators see it. */
  written_off: credits.optional(),
  /** Mean of those that were answered, milliseconds. */
  mean_duration_ms: z.int().nullable(),
  mean_first_byte_ms: z.int().nullable(),
})
export type UsageRow = z.infer<typeof usageRow>
export const usage = z.object({ object: z.literal("list"), data: z.array(usageRow) })

/** `GET /admin/v1/usage/overview`: the first page of the console, in one answer. */
export const overviewQuery = z.object({ account: identifier.optional() })
export const overview = z.object({
  balance: credits,
  spent_today: credits,
  spent_month: credits,
  /** What requests of this month cost and was not charged; only operators see it. */
  written_off_month: credits.optional(),
  requests_today: z.int(),
  errors_today: z.int(),
  p50_duration_ms: z.int().nullable(),
  p95_duration_ms: z.int().nullable(),
  /** The last 30 days, the oldest first, days without requests included. */
  days: z.array(usageRow),
  /** The last 24 hours, the oldest first. */
  hours: z.array(usageRow),
  /** The dearest of the last 30 days, at most ten. */
  top_models: z.array(usageRow),
  top_keys: z.array(usageRow),
  at: moment,
})
export type Overview = z.infer<typeof overview>

/** `/admin/v1/usage`: what was used, and what it cost. */
export const usageRoutes = {
  "GET /usage": route({
    summary:
      "Sums of the requests of a time, by hour, day, model, key, provider, account or outcome",
    minimumRole: "session",
    query: usageQuery,
    answer: usage,
  }),
  "GET /usage/overview": route({
    summary: "Balance, spending, errors and latency of today, and the last thirty days",
    minimumRole: "session",
    query: overviewQuery,
    answer: overview,
  }),
}
