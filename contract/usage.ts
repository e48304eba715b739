import * as z from "zod"
import { credits, identifier, moment } from "./common.ts"
import { requestFilter } from "./receipts.ts"
import { route } from "./route.ts"

const usageGroup = z.enum([
  "hour",
  "day",
  "model",
  "key",
  "provider",
  "account",
  "endpoint",
  "outcome",
  "user",
  "session",
  "tag",
])
export type UsageGroup = z.infer<typeof usageGroup>

/** `GET /admin/v1/usage`: sums of the requests of a time, in groups. All filters have to hold. */
export const usageQuery = z.object({
  /** Absent: all that the asker may see. */
  account: identifier.optional(),
  key: identifier.optional(),
  model: z.string().max(200).optional(),
  provider: z.string().max(100).optional(),
  endpoint: z.string().max(100).optional(),
  /** `ok`, or how requests ended, in words of the error table. */
  outcome: z.string().max(100).optional(),
  /** The caller's end user. */
  user: z.string().max(128).optional(),
  session: z.string().max(128).optional(),
  /** `name=value`. */
  tag: z.string().max(200).optional(),
  from: moment,
  to: moment,
  group: usageGroup.default("day"),
  /** Adds the groups with the most over time, at most ten, and all others together. */
  series: z.enum(["hour", "day"]).optional(),
  /** By which sum they are the first. */
  order: z.enum(["cost", "requests", "tokens", "errors"]).default("cost"),
  /** Adds how long answers took, from a sample where there are very many. */
  times: z.enum(["true", "false"]).optional(),
  /** Adds the sums of the same time before. */
  before: z.enum(["true", "false"]).optional(),
})
export type UsageQuery = z.infer<typeof usageQuery>

/** Of answers, milliseconds; null where there was none. */
const answerTimes = z.object({
  p50_duration_ms: z.int().nullable(),
  p95_duration_ms: z.int().nullable(),
  p50_first_byte_ms: z.int().nullable(),
  p95_first_byte_ms: z.int().nullable(),
  /** Median of the tokens of output in a second. */
  tokens_per_second: z.number().nullable(),
})
export type AnswerTimesDocument = z.infer<typeof answerTimes>

export const usageRow = z.object({
  /** The hour or day it begins (ISO, UTC), or the model, key, provider, account, endpoint, outcome, user, session or tag. */
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
  /**
   * Cost that vendors bill for these requests, including attempts that failed after they had reported usage, and
   * corrections from reconciliations. Only operators see it.
   */
  provider_cost: credits.optional(),
  /** Mean of those that were answered, milliseconds. */
  mean_duration_ms: z.int().nullable(),
  mean_first_byte_ms: z.int().nullable(),
  times: answerTimes.optional(),
})
export type UsageRow = z.infer<typeof usageRow>

const usagePoint = usageRow.extend({
  /** The hour or day that begins here. */
  at: moment,
})
export type UsagePoint = z.infer<typeof usagePoint>

export const usage = z.object({
  object: z.literal("list"),
  /** At most a thousand. */
  data: z.array(usageRow),
  /** Of all together. A request with several tags counts once here, and in each of its tags. */
  total: usageRow,
  /** In order of time. The group of those that are not among the first is empty. */
  series: z.array(usagePoint).optional(),
  before: z.object({ data: z.array(usageRow), total: usageRow }).optional(),
  /** Whether the times are those of a sample. */
  sampled: z.boolean().optional(),
})
export type Usage = z.infer<typeof usage>

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

/** `GET /admin/v1/usage/reliability`: how models or providers did in the last 24 hours. */
export const reliabilityQuery = z.object({ group: z.enum(["model", "provider"]) })
export type ReliabilityQuery = z.infer<typeof reliabilityQuery>

const reliabilityCounts = z.object({
  /** Without those that failed through no fault of the vendor: what it refused as asked wrongly, and what failed here. */
  requests: z.int(),
  failed: z.int(),
})

export const reliabilityRow = reliabilityCounts.extend({
  group: z.string(),
  /** `failing`: in the last hour with requests most of them failed. */
  state: z.enum(["healthy", "failing"]),
  times: answerTimes,
  /** The last 24 hours, the oldest first, those without requests included. */
  hours: z.array(reliabilityCounts.extend({ at: moment })),
})
export type ReliabilityRow = z.infer<typeof reliabilityRow>

export const reliability = z.object({
  object: z.literal("list"),
  /** Those that had requests of accounts that the asker sees. */
  data: z.array(reliabilityRow),
  /** Whether the times are those of a sample. */
  sampled: z.boolean(),
})
export type Reliability = z.infer<typeof reliability>

/** `GET /admin/v1/usage/requests`: how many requests there were over time. All filters have to hold. */
export const requestCountQuery = requestFilter.extend({
  status: z.enum(["ok", "failed", "written_off", "refused"]).optional(),
  from: moment,
  to: moment,
  step: z.enum(["minute", "hour", "day"]),
})
export type RequestCountQuery = z.infer<typeof requestCountQuery>

const requestCount = z.object({
  /** The minute, hour or day (UTC) that begins here. */
  at: moment,
  answered: z.int(),
  /** They held money, and no answer came or not all of it. */
  failed: z.int(),
  /** Answered with an error before any vendor was asked; known for seven days. */
  refused: z.int(),
})
export type RequestCount = z.infer<typeof requestCount>

export const requestCounts = z.object({
  object: z.literal("list"),
  /** In order of time, without those in which there were none. */
  data: z.array(requestCount),
  /** Set where so many would have to be read that only those since then were counted. */
  looked_back_to: moment.nullable(),
})
export type RequestCounts = z.infer<typeof requestCounts>

/** `/admin/v1/usage`: what was used, and what it cost. */
export const usageRoutes = {
  "GET /usage": route({
    summary:
      "Sums of the requests of a time, in groups, over time, and held against the time before",
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
  "GET /usage/reliability": route({
    summary: "How models or providers did in the last 24 hours, of the requests that are stored",
    minimumRole: "session",
    query: reliabilityQuery,
    answer: reliability,
  }),
  "GET /usage/requests": route({
    summary: "How many requests were answered, failed or refused, over time",
    minimumRole: "session",
    query: requestCountQuery,
    answer: requestCounts,
  }),
}
