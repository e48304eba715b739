import * as z from "zod"
import { PAGE_ORIGIN_RULE, pageOriginOf } from "./page-origin.ts"
import {
  credits,
  glob,
  identifier,
  label,
  moment,
  page,
  pageQuery,
  positiveCredits,
} from "./common.ts"
import { route } from "./route.ts"

/** A budget, and the amount left in the current period. */
export const budget = z.object({
  limit: credits,
  left: credits,
  /** Time of the next renewal; null for the total budget, which never renews. */
  resets_at: moment.nullable(),
})
export type Budget = z.infer<typeof budget>

export const key = z.object({
  id: identifier,
  account: identifier,
  name: z.string(),
  /** The last characters of the key. */
  hint: z.string().nullable(),
  status: z.enum(["active", "revoked", "expired"]),
  /**
   * The code of the error that requests of the key get now; null if they are served. Requests that cost more than the
   * remaining credits are rejected too.
   */
  rejected_with: z
    .enum([
      "invalid_api_key",
      "account_paused",
      "account_closed",
      "key_paused",
      "key_read_only",
      "insufficient_credits",
      "account_budget_exceeded",
      "key_budget_exceeded",
    ])
    .nullable(),
  /** Whether requests with the key are temporarily rejected. */
  is_paused: z.boolean(),
  /** Whether the key can only read. Such a key cannot pay for requests or change anything. */
  is_read_only: z.boolean(),
  /** Globs of the models that the key may call; null means all models. */
  models: z.array(z.string()).nullable(),
  /** Additional model names, mapped to model ids; null if the key has no aliases. */
  aliases: z.record(z.string(), z.string()).nullable(),
  budget: budget.nullable(),
  daily_budget: budget.nullable(),
  monthly_budget: budget.nullable(),
  requests_per_minute: z.int().nullable(),
  tokens_per_minute: z.int().nullable(),
  /** Maximum number of concurrent requests. */
  concurrent_requests: z.int().nullable(),
  created_at: moment,
  /** The user who created the key; null if it was created on the command line or with the admin token. */
  created_by: identifier.nullable(),
  /**
   * Whether the caller may change, rotate, pause and revoke the key. Operators, owners of the account and the creator
   * of the key may.
   */
  may_change: z.boolean(),
  expires_at: moment.nullable(),
  /**
   * Origins of pages that may use this key from a browser, in addition to the origins in the settings; null means no
   * additional origins.
   */
  origins: z.array(z.string()).nullable(),
  /** Client addresses and ranges (CIDR) that may use the key; null means all addresses. */
  addresses: z.array(z.string()).nullable(),
  /** Expiry times of the rotated secrets that are still valid. */
  grace_until: z.array(moment),
  last_used_at: moment.nullable(),
  /** Total spending of the key. */
  spent: credits,
})
export type Key = z.infer<typeof key>
export const keyPage = page(key)
export const keyQuery = pageQuery.extend({
  account: identifier.optional(),
  status: z.enum(["active", "revoked", "expired"]).optional(),
  /** `true` selects only the keys that the caller created. */
  mine: z.enum(["true", "false"]).optional(),
})

const origin = z
  .string()
  .trim()
  .max(200)
  .refine((text) => pageOriginOf(text) !== undefined, PAGE_ORIGIN_RULE)

const MAX_ALIASES = 100

/** Aliases mapped to model ids. The globs in `models` restrict the model id, not the alias. */
const aliases = z
  .record(
    z
      .string()
      .regex(/^[^\s\p{C},=]{1,200}$/u, "must be a name without spaces, commas and equals signs"),
    z
      .string()
      .max(200)
      .regex(
        /^[a-z0-9][a-z0-9-]*\/[^\s\p{C}]+$/u,
        "must be the id of a model, <provider>/<model_name>",
      ),
  )
  .refine(
    (table) => Object.keys(table).length <= MAX_ALIASES,
    `may hold ${MAX_ALIASES} names at most`,
  )
  .refine((table) => Object.keys(table).length > 0, "is empty: use null to remove all aliases")

/** Limits of a key. In a change, null removes a limit and an absent member leaves the limit unchanged. */
const limits = {
  models: z.array(glob).min(1).max(100).nullable().optional(),
  aliases: aliases.nullable().optional(),
  budget: positiveCredits.nullable().optional(),
  daily_budget: positiveCredits.nullable().optional(),
  monthly_budget: positiveCredits.nullable().optional(),
  requests_per_minute: z.int().min(1).max(1_000_000).nullable().optional(),
  tokens_per_minute: z.int().min(1).max(1_000_000_000).nullable().optional(),
  concurrent_requests: z.int().min(1).max(1_000_000).nullable().optional(),
  expires_at: moment.nullable().optional(),
  origins: z.array(origin).min(1).max(20).nullable().optional(),
  is_read_only: z.boolean().optional(),
  addresses: z.array(z.string().trim().max(49)).min(1).max(100).nullable().optional(),
}

export const newKey = z.object({ account: identifier, name: label, ...limits })
export type NewKey = z.infer<typeof newKey>

export const keyChange = z.object({
  name: label.optional(),
  is_paused: z.boolean().optional(),
  ...limits,
})
export type KeyChange = z.infer<typeof keyChange>

/** The body of `POST /admin/v1/keys/{id}/rotate`. The old secret stays valid for `grace_seconds`. */
export const keyRotation = z.object({
  grace_seconds: z
    .int()
    .min(0)
    .max(30 * 86_400)
    .default(86_400),
})

/** A key with its new secret. No later response contains the secret. */
export const keyWithSecret = key.extend({ secret: z.string() })
export type KeyWithSecret = z.infer<typeof keyWithSecret>

/** `/admin/v1/keys`: the API keys of callers. */
export const keyRoutes = {
  "GET /keys": route({
    summary: "List the keys of an account, or of all your accounts, newest first",
    minimumRole: "viewer",
    query: keyQuery,
    response: keyPage,
  }),
  "POST /keys": route({
    summary: "Create a key; only this response contains its secret",
    minimumRole: "member",
    body: newKey,
    response: keyWithSecret,
  }),
  "GET /keys/{id}": route({
    summary: "Get a key",
    minimumRole: "viewer",
    response: key,
  }),
  "PATCH /keys/{id}": route({
    summary: "Rename a key, pause it, or change its limits",
    minimumRole: "member",
    body: keyChange,
    response: key,
  }),
  "POST /keys/{id}/rotate": route({
    summary: "Rotate the secret of a key; the old secret works for the grace period",
    minimumRole: "member",
    body: keyRotation,
    response: keyWithSecret,
  }),
  "POST /keys/{id}/revoke": route({
    summary: "Revoke a key with all its old secrets",
    minimumRole: "member",
    response: key,
  }),
}
