import * as z from "zod"
import { email, identifier, label, moment, page, pageQuery } from "./common.ts"
import { route } from "./route.ts"

/** One recorded change. Records are never edited and are chained by hash. */
export const auditRecord = z.object({
  number: z.int(),
  at: moment,
  actor: z.object({
    kind: z.enum(["user", "admin_token", "command"]),
    id: z.string().nullable(),
    name: z.string(),
  }),
  /** The kind of change, such as `key.create`, `account.entry` or `provider.change`. */
  action: z.string(),
  /** The affected account. */
  account: z.string().nullable(),
  /** The id of the changed object. */
  target: z.string().nullable(),
  before: z.unknown(),
  after: z.unknown(),
  /** The network address of the caller. */
  address: z.string().nullable(),
  hash: z.string(),
})
export type AuditRecord = z.infer<typeof auditRecord>
export const auditPage = page(auditRecord)
export const auditQuery = pageQuery.extend({
  account: identifier.optional(),
  /**
   * A part of the action, of the actor's name, or of the id or name of the changed object or person, regardless of
   * case. People are also found by a part of their email. Only the newest 100,000 records are searched.
   */
  search: z.string().max(100).optional(),
  actor: z.string().max(100).optional(),
  action: z.string().max(100).optional(),
  target: z.string().max(200).optional(),
  from: moment.optional(),
  to: moment.optional(),
})

/**
 * The response of `GET /admin/v1/settings`. `is_locked` means that the file or the environment sets a setting, so that
 * the console cannot change it.
 */
export const settingsView = z.object({
  /** All active settings without secrets, with the names and units of `tollgate.yaml`. */
  effective: z.record(z.string(), z.unknown()),
  /** The settings that the console may change, with their values. */
  changeable: z.array(
    z.object({
      name: z.string(),
      label: z.string(),
      help: z.string(),
      value: z.string().nullable(),
      default: z.string().nullable(),
      is_locked: z.boolean(),
      /** Whether the value is secret. A secret value is always null in the response. */
      is_secret: z.boolean(),
      is_set: z.boolean(),
      /** The reason why the stored value is not used. */
      problem: z.string().nullable(),
    }),
  ),
  file: z.string().nullable(),
  version: z.string(),
})
export type SettingsView = z.infer<typeof settingsView>
/** The body of `PATCH /admin/v1/settings`. Null restores the default. */
export const settingsChange = z.record(z.string(), z.string().max(20_000).nullable())

/** The body of `POST /admin/v1/settings/email/test`. */
export const mailTest = z.object({ address: email })
/** The result of a test of the active settings of another service. */
export const settingsTest = z.object({
  ok: z.boolean(),
  /** The result, or the cause of the failure and the next step. */
  message: z.string(),
  duration_ms: z.int(),
})
export type SettingsTest = z.infer<typeof settingsTest>

/** An OpenID Connect issuer with which people sign in to the console. */
export const issuerSettings = z.object({
  /** The last part of the redirect URI `/admin/v1/auth/callback/<id>`. */
  id: z.string(),
  name: z.string(),
  issuer: z.string(),
  client_id: z.string(),
  has_client_secret: z.boolean(),
})
export type IssuerSettings = z.infer<typeof issuerSettings>
/** The response of `GET /admin/v1/settings/issuers`. */
export const issuerList = z.object({
  object: z.literal("list"),
  data: z.array(issuerSettings),
  /** Whether the file sets the issuers, so that the console cannot change them. */
  is_locked: z.boolean(),
  /** The reason why the stored issuers are not used. */
  problem: z.string().nullable(),
})
export type IssuerList = z.infer<typeof issuerList>
/** The body of `PUT /admin/v1/settings/issuers/{id}`. */
export const issuerChange = z.object({
  name: label.optional(),
  issuer: z.string().max(2_000),
  client_id: z.string().max(500),
  /** If absent, the stored secret is kept. Null is for a public client, which has no secret. */
  client_secret: z.string().max(2_000).nullable().optional(),
})
export type IssuerChange = z.output<typeof issuerChange>

/**
 * The response of `GET /admin/v1/ledger/verification`, which verifies every account's ledger as `tollgate ledger
 * verify` does.
 */
export const ledgerVerdict = z.object({
  accounts: z.int(),
  entries: z.int(),
  uncharged_receipts: z.int(),
  write_offs: z.int(),
  problems: z.array(
    z.object({
      account: z.string().nullable(),
      number: z.int().nullable(),
      fault: z.string(),
      message: z.string(),
    }),
  ),
})
export type LedgerVerdict = z.infer<typeof ledgerVerdict>

/** `/admin/v1/audit`: the recorded changes. */
export const auditRoutes = {
  "GET /audit": route({
    summary: "List the audit records, newest first",
    minimumRole: "session",
    query: auditQuery,
    response: auditPage,
  }),
}

/** `/admin/v1/settings`: the active and the changeable settings. `/admin/v1/ledger`: the verification of the ledger. */
export const settingsRoutes = {
  "GET /settings": route({
    summary: "Get the active settings, and the settings that can be changed here",
    minimumRole: "operator",
    response: settingsView,
  }),
  "PATCH /settings": route({
    summary: "Change settings; null restores the default",
    minimumRole: "operator",
    body: settingsChange,
    response: settingsView,
  }),
  "POST /settings/email/test": route({
    summary: "Send a test email with the active mail server",
    minimumRole: "operator",
    body: mailTest,
    response: settingsTest,
  }),
  "POST /settings/stripe/test": route({
    summary: "Call Stripe with the active secret key, without a change",
    minimumRole: "operator",
    response: settingsTest,
  }),
  "GET /settings/issuers": route({
    summary: "List the OpenID Connect issuers for sign-in to the console",
    minimumRole: "operator",
    response: issuerList,
  }),
  "PUT /settings/issuers/{id}": route({
    summary: "Add or change an OpenID Connect issuer",
    minimumRole: "operator",
    body: issuerChange,
    response: issuerSettings,
  }),
  "DELETE /settings/issuers/{id}": route({
    summary: "Remove an OpenID Connect issuer",
    minimumRole: "operator",
  }),
  "POST /settings/issuers/{id}/test": route({
    summary: "Read the discovery document and the keys of an OpenID Connect issuer",
    minimumRole: "operator",
    response: settingsTest,
  }),
  "GET /ledger/verification": route({
    summary: "Verify every account's ledger",
    minimumRole: "operator",
    response: ledgerVerdict,
  }),
}
