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

/** `paused`: all requests are rejected. `closed`: all requests are rejected, and no keys can be created. */
const accountState = z.enum(["active", "paused", "closed"])

export const account = z.object({
  id: identifier,
  name: z.string(),
  created_at: moment,
  /** The sum of the account's posted entries. */
  balance: credits,
  /**
   * Amount owed after a card payment was reversed. While it is above zero, requests are rejected.
   */
  debt: credits,
  /** Whether prompts and responses of the account's requests are stored. Only an operator can change this. */
  stores_content: z.boolean(),
  state: accountState,
  /** Globs of the models that the account's keys may call; null means all models. */
  models: z.array(z.string()).nullable(),
  /** Limit for all keys of the account together; null means no limit. */
  requests_per_minute: z.int().nullable(),
  tokens_per_minute: z.int().nullable(),
  concurrent_requests: z.int().nullable(),
  /** Maximum number of keys that are not revoked. */
  max_keys: z.int().nullable(),
  /** Maximum number of pending invitations. */
  max_invitations: z.int().nullable(),
  /** The account is paused when its hourly spend exceeds this multiple of the usual spend; null disables this limit. */
  max_hourly_spend_ratio: z.int().nullable(),
  /** Spending limits for all keys of the account together, per UTC day and month; null means no limit. */
  daily_budget: credits.nullable(),
  daily_budget_left: credits.nullable(),
  monthly_budget: credits.nullable(),
  monthly_budget_left: credits.nullable(),
  /** The account's price group; null if the account pays the default prices. */
  price_group: priceGroupId.nullable(),
})
export type Account = z.infer<typeof account>

/** Usage of an account. Days are in UTC and include today. */
export const accountUse = z.object({
  spent_30_days: credits,
  /** Spending on each of the last 14 days, oldest first. Set only if the query asks for the usage. */
  spent_by_day: z.array(credits).optional(),
  /** Time of the last use; null means never used. */
  last_used_at: moment.nullable(),
  /** Days until the balance is used up at the rate of the last seven days; null if nothing was spent. */
  days_left: z.number().nullable(),
})
export type AccountUse = z.infer<typeof accountUse>

const listedAccount = account.extend({
  /** Usage of the account. Set only if the query asks for it and it can be computed. */
  usage: accountUse.optional(),
})
export type ListedAccount = z.infer<typeof listedAccount>

export const accountPage = page(listedAccount).extend({
  /** Number of accounts on all pages. */
  total: z.int(),
})

export type AccountPage = z.infer<typeof accountPage>

/** The query of `GET /admin/v1/accounts`. An account must match all filters. */
export const accountQuery = pageQuery.extend({
  /** Cursors of this list may be longer than in other lists, because they can contain a complete name. */
  cursor: z.string().max(1_000).optional(),
  /** Ids of accounts, separated by commas. */
  ids: z.string().max(10_200).optional(),
  /** A part of the account's name or id. */
  search: z.string().max(100).optional(),
  state: accountState.optional(),
  /** `none` selects accounts that cannot pay, because their balance is used up or they owe an amount. */
  credits: z.enum(["none"]).optional(),
  /** Selects accounts of this price group. */
  price_group: priceGroupId.optional(),
  sort: z
    .enum(["created_at", "name", "balance", "spent_30_days", "last_used_at", "days_left"])
    .default("created_at"),
  order: z.enum(["asc", "desc"]).default("asc"),
  /** Adds the spending and the time of the last use of each account. */
  usage: z.enum(["true", "false"]).optional(),
})
export type AccountQuery = z.infer<typeof accountQuery>
export type AccountSort = AccountQuery["sort"]

export const newAccount = z.object({
  name: label,
  credits: positiveCredits.optional(),
  /** The name of an entry of the setting `account_templates`, which contains credits and limits. */
  template: z.string().max(100).optional(),
})
export type NewAccount = z.infer<typeof newAccount>

/** A change to an account. Null removes a limit; an absent member leaves the limit unchanged. */
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
  max_hourly_spend_ratio: z.int().min(2).max(1_000).nullable().optional(),
  daily_budget: positiveCredits.nullable().optional(),
  monthly_budget: positiveCredits.nullable().optional(),
  price_group: priceGroupId.nullable().optional(),
})
export type AccountChange = z.infer<typeof accountChange>

/** Initial credits and limits of new accounts. */
export type AccountTemplate = Pick<NewAccount, "credits"> &
  Omit<AccountChange, "name" | "stores_content" | "state">

/** The response of `GET /admin/v1/accounts/{id}/credits`. */
export const accountCredits = z.object({
  balance: credits,
  /** Credits currently held by running requests. */
  held: credits,
  available: credits,
  /** Amount owed. It is paid first from new credits. */
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
  /**
   * The amount that was paid by card for a payment, with all decimal places of the currency, including taxes and
   * discounts; null for other entries, and in the response to a new entry.
   */
  paid: z.object({ amount: z.string(), currency: z.string() }).nullable(),
  hash: z.string(),
})
export type Entry = z.infer<typeof entry>
export const entryPage = page(entry)
/** The query of `GET /admin/v1/accounts/{id}/entries`. Entries are sorted newest first. */
export const entryQuery = pageQuery.extend({
  kind: entryKind.optional(),
  /** Start of the range, inclusive. */
  from: moment.optional(),
  /** End of the range, exclusive. */
  to: moment.optional(),
})

/**
 * The body of `POST /admin/v1/accounts/{id}/entries`, for operators only. A grant or refund is above zero. An
 * adjustment may be negative, down to the available credits of the account. Ledger entries are
 * never edited.
 */
export const newEntry = z.object({
  kind: z.enum(["grant", "adjustment", "refund"]),
  amount: creditChange,
  /** The reason for the entry. It stays in the ledger permanently. */
  note: label,
})
export type NewEntry = z.infer<typeof newEntry>

/** The body of `POST /admin/v1/accounts/{id}/redeem`. The response is the new entry. */
export const redemption = z.object({ code: z.string().trim().min(1).max(100) })

/** The body of `POST /admin/v1/accounts/{id}/checkout`, which creates a Stripe payment page. */
export const checkout = z.object({ credits: positiveCredits })
export const checkoutResponse = z.object({ url: z.string() })

/**
 * The query of `GET /admin/v1/accounts/{id}/statement`, which downloads a file, or returns a page for printing. The
 * first and the last day are in UTC, both inclusive.
 */
export const statementQuery = z.object({
  from: z.iso.date(),
  to: z.iso.date(),
  format: z.enum(["csv", "json", "html"]).default("csv"),
  /**
   * All entries, or only the balances with the sums by kind of entry, by model and by key. The page always contains the
   * totals. Defaults to `entries`.
   */
  content: z.enum(["entries", "totals"]).optional(),
})
export type StatementQuery = z.infer<typeof statementQuery>

/** `/admin/v1/accounts`: the accounts that pay for requests. */
export const accountRoutes = {
  "GET /accounts": route({
    summary: "List your accounts with their spend, searched and sorted",
    minimumRole: "session",
    query: accountQuery,
    response: accountPage,
  }),
  "POST /accounts": route({
    summary: "Create an account",
    minimumRole: "operator",
    body: newAccount,
    response: account,
  }),
  "GET /accounts/{id}": route({
    summary: "Get an account",
    minimumRole: "viewer",
    response: account,
  }),
  "PATCH /accounts/{id}": route({
    summary: "Pause, close, limit or rename an account, or store its prompts and responses",
    minimumRole: "operator",
    body: accountChange,
    response: account,
  }),
  "POST /accounts/{id}/checkout": route({
    summary: "Create a Stripe payment page for credits",
    minimumRole: "member",
    body: checkout,
    response: checkoutResponse,
  }),
}

/** `/admin/v1/accounts/{id}/...`: the ledger of an account and its entries. */
export const creditRoutes = {
  "GET /accounts/{id}/credits": route({
    summary: "Get the balance of an account and the holds of its running requests",
    minimumRole: "viewer",
    response: accountCredits,
  }),
  "GET /accounts/{id}/entries": route({
    summary: "List the entries of the account's ledger, newest first",
    minimumRole: "viewer",
    query: entryQuery,
    response: entryPage,
  }),
  "POST /accounts/{id}/entries": route({
    summary: "Grant, refund or adjust credits, with a reason that the ledger stores",
    minimumRole: "operator",
    body: newEntry,
    response: entry,
  }),
  "POST /accounts/{id}/redeem": route({
    summary: "Redeem a code for an account",
    minimumRole: "member",
    body: redemption,
    response: entry,
  }),
  "GET /statements": route({
    summary: "Download the statements of all accounts for a period as a ZIP file",
    minimumRole: "operator",
    query: statementQuery,
  }),
  "GET /accounts/{id}/statement": route({
    summary: "Download a statement of a period as a CSV or JSON file, or print its totals",
    minimumRole: "viewer",
    query: statementQuery,
  }),
}
