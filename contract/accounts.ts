import * as z from "zod"
import {
  creditChange,
  glob,
  credits,
  identifier,
  label,
  moment,
  page,
  pageQuery,
  positiveCredits,
  priceGroupId,
} from "./common.ts"
import { route } from "./route.ts"

/** `paused`: nothing is paid for. `closed`: neither are there new keys. */
const accountState = z.enum(["active", "paused", "closed"])

export const account = z.object({
  id: identifier,
  name: z.string(),
  created_at: moment,
  /** The posted sum of its entries. */
  balance: credits,
  /** What it owes because a card payment was taken back; while that is above zero, nothing is served. */
  debt: credits,
  /** Whether prompts and answers of its requests are kept. Only an operator changes it. */
  stores_content: z.boolean(),
  state: accountState,
  /** Globs of the models that its keys may call; null: all. */
  models: z.array(z.string()).nullable(),
  /** What all its keys may do together; null: no limit. */
  requests_per_minute: z.int().nullable(),
  tokens_per_minute: z.int().nullable(),
  concurrent_requests: z.int().nullable(),
  /** How many keys there may be that are not revoked. */
  max_keys: z.int().nullable(),
  /** How many invitations may be open. */
  max_invitations: z.int().nullable(),
  /** The account is paused when an hour costs so many times its usual one; null: never. */
  max_hourly_pace: z.int().nullable(),
  /** What all its keys may spend in a day and in a month, UTC; null: as much as there is. */
  daily_budget: credits.nullable(),
  daily_budget_left: credits.nullable(),
  monthly_budget: credits.nullable(),
  monthly_budget_left: credits.nullable(),
  /** The price group that it belongs to; null: it pays what everyone pays. */
  price_group: priceGroupId.nullable(),
})
export type Account = z.infer<typeof account>

/** How an account was used. Days are days of UTC, today included. */
export const accountUse = z.object({
  spent_30_days: credits,
  /** Null: never. */
  last_used_at: moment.nullable(),
  /** How many days its balance lasts at the pace of the last seven; null where nothing was spent in them. */
  days_left: z.number().nullable(),
})
export type AccountUse = z.infer<typeof accountUse>

const listedAccount = account.extend({
  /** Only where it was asked for, and can be found. */
  usage: accountUse.optional(),
})
export type ListedAccount = z.infer<typeof listedAccount>

export const accountPage = page(listedAccount).extend({
  /** How many there are on all pages. */
  total: z.int(),
})

export type AccountPage = z.infer<typeof accountPage>

/** `GET /admin/v1/accounts`. All filters have to hold. */
export const accountQuery = pageQuery.extend({
  /** Longer than elsewhere: it may hold a whole name. */
  cursor: z.string().max(1_000).optional(),
  /** These, separated by commas. */
  ids: z.string().max(10_200).optional(),
  /** A part of the name or id. */
  search: z.string().max(100).optional(),
  state: accountState.optional(),
  /** Those that can pay for nothing: their balance is used up, or they owe something. */
  credits: z.enum(["none"]).optional(),
  /** Those that belong to it. */
  price_group: priceGroupId.optional(),
  sort: z
    .enum(["created_at", "name", "balance", "spent_30_days", "last_used_at", "days_left"])
    .default("created_at"),
  order: z.enum(["asc", "desc"]).default("asc"),
  /** Adds what each has spent, and when it was last used. */
  usage: z.enum(["true", "false"]).optional(),
})
export type AccountQuery = z.infer<typeof accountQuery>
export type AccountSort = AccountQuery["sort"]

export const newAccount = z.object({
  name: label,
  credits: positiveCredits.optional(),
  /** One of the settings' `account_templates`: its credits and limits. */
  template: z.string().max(100).optional(),
})
export type NewAccount = z.infer<typeof newAccount>

/** Null takes a limit away, and an absent member leaves it. */
export const accountChange = z.object({
  name: label.optional(),
  stores_content: z.boolean().optional(),
  state: accountState.optional(),
  models: z.array(glob).min(1).max(100).nullable().optional(),
  requests_per_minute: z.int().min(1).max(1_000_000).nullable().optional(),
  tokens_per_minute: z.int().min(1).max(1_000_000_000).nullable().optional(),
  concurrent_requests: z.int().min(1).max(1_000_000).nullable().optional(),
  max_keys: z.int().min(0).max(1_000_000).nullable().optional(),
  max_invitations: z.int().min(0).max(1_000_000).nullable().optional(),
  max_hourly_pace: z.int().min(2).max(1_000).nullable().optional(),
  daily_budget: positiveCredits.nullable().optional(),
  monthly_budget: positiveCredits.nullable().optional(),
  price_group: priceGroupId.nullable().optional(),
})
export type AccountChange = z.infer<typeof accountChange>

/** What new accounts begin with. */
export type AccountTemplate = Pick<NewAccount, "credits"> &
  Omit<AccountChange, "name" | "stores_content" | "state">

/** `GET /admin/v1/accounts/{id}/credits` */
export const accountCredits = z.object({
  balance: credits,
  /** What running requests hold now. */
  held: credits,
  available: credits,
  /** What is owed: new credits pay it first. */
  debt: credits,
  holds: z.array(
    z.object({ request: identifier, key: identifier, amount: credits, created_at: moment }),
  ),
})
export type AccountCredits = z.infer<typeof accountCredits>

export const entryKind = z.enum([
  "grant",
  "charge",
  "adjustment",
  "refund",
  "code",
  "payment",
  "reversal",
  "debt",
])

export const entry = z.object({
  number: z.int(),
  kind: entryKind,
  amount: credits,
  balance: credits,
  at: moment,
  request: z.string().nullable(),
  note: z.string().nullable(),
  author: z.string().nullable(),
  hash: z.string(),
})
export type Entry = z.infer<typeof entry>
export const entryPage = page(entry)
/** `GET /admin/v1/accounts/{id}/entries`, the newest first. */
export const entryQuery = pageQuery.extend({
  kind: entryKind.optional(),
  /** From this moment on. */
  from: moment.optional(),
  /** Before this moment. */
  to: moment.optional(),
})

/**
 * `POST /admin/v1/accounts/{id}/entries`, operators only. A grant or refund is above zero; an adjustment
 * may be below, down to what the account has free. Nothing in the ledger is ever edited.
 */
export const newEntry = z.object({
  kind: z.enum(["grant", "adjustment", "refund"]),
  amount: creditChange,
  /** Why; it stays in the ledger forever. */
  note: label,
})
export type NewEntry = z.infer<typeof newEntry>

/** `POST /admin/v1/accounts/{id}/redeem` answers with the entry. */
export const redemption = z.object({ code: z.string().trim().min(1).max(100) })

/** `POST /admin/v1/accounts/{id}/checkout`: a page of Stripe to pay on. */
export const checkout = z.object({ credits: positiveCredits })
export const checkoutAnswer = z.object({ url: z.string() })

/** `GET /admin/v1/accounts/{id}/statement`: a file to download. Days in UTC, both inclusive. */
export const statementQuery = z.object({
  from: z.iso.date(),
  to: z.iso.date(),
  format: z.enum(["csv", "json"]).default("csv"),
})
export type StatementQuery = z.infer<typeof statementQuery>

/** `/admin/v1/accounts`: who pays. */
export const accountRoutes = {
  "GET /accounts": route({
    summary: "The accounts that you may see, searched and sorted, with what they have spent",
    minimumRole: "session",
    query: accountQuery,
    answer: accountPage,
  }),
  "POST /accounts": route({
    summary: "Create an account",
    minimumRole: "operator",
    body: newAccount,
    answer: account,
  }),
  "GET /accounts/{id}": route({
    summary: "One account",
    minimumRole: "viewer",
    answer: account,
  }),
  "PATCH /accounts/{id}": route({
    summary: "Pause or close an account, limit it, rename it, or have its prompts and answers kept",
    minimumRole: "operator",
    body: accountChange,
    answer: account,
  }),
  "POST /accounts/{id}/checkout": route({
    summary: "A page of Stripe to pay for credits on",
    minimumRole: "member",
    body: checkout,
    answer: checkoutAnswer,
  }),
}

/** `/admin/v1/accounts/{id}/...`: the ledger of an account, and what goes into it. */
export const creditRoutes = {
  "GET /accounts/{id}/credits": route({
    summary: "What an account has, and what running requests hold of it",
    minimumRole: "viewer",
    answer: accountCredits,
  }),
  "GET /accounts/{id}/entries": route({
    summary: "The account's ledger, the newest entries first",
    minimumRole: "viewer",
    query: entryQuery,
    answer: entryPage,
  }),
  "POST /accounts/{id}/entries": route({
    summary: "Grant, refund or adjust credits, with a reason that stays in the ledger forever",
    minimumRole: "operator",
    body: newEntry,
    answer: entry,
  }),
  "POST /accounts/{id}/redeem": route({
    summary: "Give an account what a code is worth",
    minimumRole: "member",
    body: redemption,
    answer: entry,
  }),
  "GET /accounts/{id}/statement": route({
    summary: "A statement of some days as a file, CSV or JSON",
    minimumRole: "viewer",
    query: statementQuery,
  }),
}
