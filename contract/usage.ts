import * as z from "zod"
import { credits, identifier, moment, priceGroupId } from "./common.ts"
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
  "price_group",
  "user",
  "session",
  "tag",
])
export type UsageGroup = z.infer<typeof usageGroup>

/**
 * The query of `GET /admin/v1/usage`, which returns sums of the requests in a time range, by group. A request must
 * match all filters.
 */
export const usageQuery = z.object({
  /** The account. Defaults to all accounts that the caller may see. */
  account: identifier.optional(),
  key: identifier.optional(),
  model: z.string().max(200).optional(),
  provider: z.string().max(100).optional(),
  endpoint: z.string().max(100).optional(),
  /** `ok`, or an outcome from the error table. */
  outcome: z.string().max(100).optional(),
  /** The price group that determined the price. */
  price_group: priceGroupId.optional(),
  /** The end user that the caller named in the request. */
  user: z.string().max(128).optional(),
  session: z.string().max(128).optional(),
  /** A tag in the form `name=value`. */
  tag: z.string().max(200).optional(),
  from: moment,
  to: moment,
  group: usageGroup.default("day"),
  /** Adds the sums per hour or day of the largest groups, and of all other groups together. */
  series: z.enum(["hour", "day"]).optional(),
  /** Number of the largest groups whose sums are added per hour or day. */
  series_groups: z.coerce.number<number>().int().min(1).max(200).default(10),
  /** The sum by which groups are sorted. */
  order: z.enum(["cost", "requests", "tokens", "errors"]).default("cost"),
  /** Adds response times, computed from a sample if there are very many requests. */
  times: z.enum(["true", "false"]).optional(),
  /** Adds the sums of the preceding range of the same length. */
  before: z.enum(["true", "false"]).optional(),
})
export type UsageQuery = z.infer<typeof usageQuery>

/** Response times in milliseconds; null if no request received a response. */
const responseTimes = z.object({
  p50_duration_ms: z.int().nullable(),
  p95_duration_ms: z.int().nullable(),
  p50_first_byte_ms: z.int().nullable(),
  p95_first_byte_ms: z.int().nullable(),
  /** Median of the output tokens per second. */
  tokens_per_second: z.number().nullable(),
})
export type ResponseTimesDocument = z.infer<typeof responseTimes>

export const usageRow = z.object({
  /**
   * The group: the start of the hour or day (ISO, UTC), or the model, key, provider, account, endpoint, outcome, price
   * group, user, session or tag. It is empty for requests without a price group or provider.
   */
  group: z.string(),
  /** The name of the key or account. */
  name: z.string().optional(),
  requests: z.int(),
  errors: z.int(),
  input: z.int(),
  output: z.int(),
  /** Charged amount. */
  cost: credits,
  /** Cost that was not charged. Only operators see it. */
  written_off: credits.optional(),
  /**
   * Cost that vendors bill for these requests. It includes attempts that failed after they had reported usage, and
   * corrections from reconciliations. Only operators see it.
   */
  provider_cost: credits.optional(),
  /** Mean duration of successful requests in milliseconds. */
  mean_duration_ms: z.int().nullable(),
  mean_first_byte_ms: z.int().nullable(),
  times: responseTimes.optional(),
})
export type UsageRow = z.infer<typeof usageRow>

const usagePoint = usageRow.extend({
  /** Start of the hour or day. */
  at: moment,
})
export type UsagePoint = z.infer<typeof usagePoint>

export const usage = z.object({
  object: z.literal("list"),
  /** At most a thousand groups. */
  data: z.array(usageRow),
  /** Total of all groups. A request with several tags is counted once in the total, and once in the row of each tag. */
  total: usageRow,
  /** Sums per hour or day in chronological order. The group of all remaining groups has an empty name. */
  series: z.array(usagePoint).optional(),
  before: z.object({ data: z.array(usageRow), total: usageRow }).optional(),
  /** Whether the response times come from a sample. */
  sampled: z.boolean().optional(),
})
export type Usage = z.infer<typeof usage>

/**
 * The query of `GET /admin/v1/usage/changes`, which compares the spending of two periods. A request must match all
 * filters.
 */
export const usageChangesQuery = usageQuery
  .omit({
    group: true,
    series: true,
    series_groups: true,
    order: true,
    times: true,
    before: true,
  })
  .extend({
    /** Start of the period to compare with. Defaults to the preceding period of the same length. */
    compared_from: moment.optional(),
    compared_to: moment.optional(),
  })
export type UsageChangesQuery = z.infer<typeof usageChangesQuery>

const spendingChange = z.object({
  cost: credits,
  requests: z.int(),
  /** Sums of the period to compare with. */
  compared_cost: credits,
  compared_requests: z.int(),
  /** `cost` minus `compared_cost`. */
  change: credits,
})

const usageChange = spendingChange.extend({
  kind: z.enum(["key", "model", "user", "session", "tag"]),
  /** The key, model, end user, session or tag. */
  group: z.string(),
  /** The name of the key. */
  name: z.string().optional(),
})
export type UsageChange = z.infer<typeof usageChange>

export const usageChanges = spendingChange.extend({
  object: z.literal("usage_changes"),
  from: moment,
  to: moment,
  compared_from: moment,
  compared_to: moment,
  /**
   * The keys, models and labels whose spending changed most in the direction of the total, at most five of each kind.
   * The largest change comes first. Labels are omitted for periods of more than 93 days.
   */
  data: z.array(usageChange),
})
export type UsageChanges = z.infer<typeof usageChanges>

/** The query of `GET /admin/v1/usage/overview`, which returns the data of the console's first page. */
export const overviewQuery = z.object({ account: identifier.optional() })
export const overview = z.object({
  balance: credits,
  spent_today: credits,
  spent_month: credits,
  /** Cost of requests in this month that was not charged. Only operators see it. */
  written_off_month: credits.optional(),
  requests_today: z.int(),
  errors_today: z.int(),
  p50_duration_ms: z.int().nullable(),
  p95_duration_ms: z.int().nullable(),
  /** The last 30 days, oldest first, including days without requests. */
  days: z.array(usageRow),
  /** The last 24 hours, oldest first. */
  hours: z.array(usageRow),
  /** The most expensive models of the last 30 days, at most ten. */
  top_models: z.array(usageRow),
  top_keys: z.array(usageRow),
  /** Whether requests are missing, because the index for reports is still being built, as after an upgrade. */
  is_incomplete: z.boolean(),
  at: moment,
})
export type Overview = z.infer<typeof overview>

/**
 * The query of `GET /admin/v1/usage/reliability`, which returns the reliability of models or providers in the last 24
 * hours.
 */
export const reliabilityQuery = z.object({ group: z.enum(["model", "provider"]) })
export type ReliabilityQuery = z.infer<typeof reliabilityQuery>

const reliabilityCounts = z.object({
  /**
   * Number of requests. Requests that failed through no fault of the vendor, such as invalid requests and internal
   * errors, are not counted.
   */
  requests: z.int(),
  failed: z.int(),
})

export const reliabilityRow = reliabilityCounts.extend({
  group: z.string(),
  /** `failing` means that most requests failed in the last hour that had requests. */
  state: z.enum(["healthy", "failing"]),
  /** Start of the first of the consecutive hours in which most requests failed; null unless the state is `failing`. */
  failing_since: moment.nullable(),
  times: responseTimes,
  /** The last 24 hours, oldest first, including hours without requests. */
  hours: z.array(reliabilityCounts.extend({ at: moment })),
})
export type ReliabilityRow = z.infer<typeof reliabilityRow>

export const reliability = z.object({
  object: z.literal("list"),
  /** One row per model or provider, counting requests of accounts that the caller may see. */
  data: z.array(reliabilityRow),
  /** Whether the response times come from a sample. */
  sampled: z.boolean(),
})
export type Reliability = z.infer<typeof reliability>

/**
 * The query of `GET /admin/v1/usage/requests`, which returns the number of requests over time. A request must match all
 * filters.
 */
export const requestCountQuery = requestFilter.extend({
  status: z.enum(["ok", "failed", "written_off", "rejected"]).optional(),
  from: moment,
  to: moment,
  step: z.enum(["minute", "hour", "day"]),
})
export type RequestCountQuery = z.infer<typeof requestCountQuery>

const requestCount = z.object({
  /** Start of the minute, hour or day in UTC. */
  at: moment,
  answered: z.int(),
  /** Number of requests that held credits and received no response or only a part of a response. */
  failed: z.int(),
  /** Number of requests that were rejected before a vendor was called. They are stored for seven days. */
  rejected: z.int(),
})
export type RequestCount = z.infer<typeof requestCount>

export const requestCounts = z.object({
  object: z.literal("list"),
  /** Counts in chronological order. Intervals without requests are omitted. */
  data: z.array(requestCount),
  /** Set if the range contains too many requests. Then only requests since this time were counted. */
  searched_from: moment.nullable(),
})
export type RequestCounts = z.infer<typeof requestCounts>

/** `/admin/v1/usage`: usage and its cost. */
export const usageRoutes = {
  "GET /usage": route({
    summary:
      "Get sums of the requests in a period, by group and over time, compared with the period before",
    minimumRole: "session",
    query: usageQuery,
    response: usage,
  }),
  "GET /usage/changes": route({
    summary: "Compare the spending of two periods, and get the keys, models and labels responsible",
    minimumRole: "session",
    query: usageChangesQuery,
    response: usageChanges,
  }),
  "GET /usage/overview": route({
    summary: "Get the balance, spending, errors and latency of today and the last thirty days",
    minimumRole: "session",
    query: overviewQuery,
    response: overview,
  }),
  "GET /usage/reliability": route({
    summary:
      "Get the reliability of models or providers in the last 24 hours, from stored requests",
    minimumRole: "session",
    query: reliabilityQuery,
    response: reliability,
  }),
  "GET /usage/requests": route({
    summary: "Count answered, failed and rejected requests over time",
    minimumRole: "session",
    query: requestCountQuery,
    response: requestCounts,
  }),
}
