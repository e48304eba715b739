import type { BaseUrl } from "../../management/base-url.ts"
import type { Catalog } from "../../catalog/catalog.ts"
import type { LearnedRules } from "../../catalog/learned-rules.ts"
import type { SecretCipher } from "../../config/secret-cipher.ts"
import type { Settings } from "../../config/settings.ts"
import type { Keyring } from "../../keys/keyring.ts"
import type { KeyHasher } from "../../keys/secret.ts"
import { AccountUsage } from "../../management/account-usage.ts"
import { Accounts } from "../../management/accounts.ts"
import { AuditLog } from "../../management/audit-log.ts"
import { Audit } from "../../management/audit.ts"
import { Codes } from "../../management/codes.ts"
import { ConsoleChanges } from "../../management/console-changes.ts"
import { Credits } from "../../management/credits.ts"
import { Keys, type KeyUses } from "../../management/keys.ts"
import type { LiveSettings } from "../../management/live-settings.ts"
import { IssuerManagement } from "../../management/issuers.ts"
import { AllRequests } from "../../management/all-requests.ts"
import { Failures } from "../../management/failures.ts"
import { NoticeManagement, type NoticeManagementParts } from "../../management/notices.ts"
import { ModelTests } from "../../management/model-tests.ts"
import { Models } from "../../management/models.ts"
import { type PaymentProblem, Payments } from "../../management/payments.ts"
import type { PriceUpdates } from "../../management/prices/price-updates.ts"
import { PriceGroupManagement } from "../../management/price-groups.ts"
import { Providers } from "../../management/providers.ts"
import { type RedemptionParts, Redemptions } from "../../management/redemptions.ts"
import { ReliabilityReports } from "../../management/reliability.ts"
import { RequestCountReports } from "../../management/request-counts.ts"
import { Requests } from "../../management/requests.ts"
import { SettingsTests } from "../../management/settings-tests.ts"
import { GatewaySettings } from "../../management/settings.ts"
import { Statements } from "../../management/statements.ts"
import { Overviews } from "../../management/overview.ts"
import { System, type SystemParts } from "../../management/system.ts"
import { UsageChangeReports } from "../../management/usage-changes.ts"
import { UsageReports } from "../../management/usage.ts"
import { BillingGapReports } from "../../management/billing-gaps.ts"
import { Reconciliations } from "../../management/reconciliation/reconciliations.ts"
import { WriteOffs } from "../../management/write-offs.ts"
import type { MemoryBudget } from "../../limits/memory-budget.ts"
import type { Notices } from "../../notices/notices.ts"
import type { Health } from "../../routing/health.ts"
import type { InstallationSecrets } from "../../secrets/installation-secrets.ts"
import type { ConsoleStore } from "../../store/console-store.ts"
import type { FailureLog } from "../../store/failure-log.ts"
import type { PayloadLog } from "../../store/payload-log.ts"
import type { Reports } from "../../store/reports.ts"
import type { Store, StoreReader } from "../../store/store.ts"
import type { Events } from "../../telemetry/events.ts"
import { AttemptLimits } from "../../users/attempt-limits.ts"
import type { Idempotency } from "../idempotency/idempotency.ts"
import { LabelBudgetManagement } from "../../management/label-budgets.ts"
import { MemberKeyManagement } from "../../management/member-keys.ts"
import {
  accountEndpoints,
  codeEndpoints,
  creditEndpoints,
  keyEndpoints,
  labelBudgetEndpoints,
  memberKeyEndpoints,
} from "./accounts.ts"
import type { Handler } from "../server.ts"
import { adminApp } from "./app.ts"
import { auditEndpoints, failureEndpoints, receiptEndpoints, usageEndpoints } from "./requests.ts"
import type { AdminEndpoint } from "./endpoint.ts"
import { Guard } from "./guard.ts"
import {
  modelEndpoints,
  priceEndpoints,
  priceGroupEndpoints,
  providerEndpoints,
} from "./catalog.ts"
import { noticeEndpoints, settingsEndpoints, systemEndpoints } from "./settings.ts"
import { PersonLimits } from "./person-limits.ts"
import { openUserAccess } from "./user-access.ts"
import { stripeWebhook } from "./stripe-webhook.ts"
import {
  billingGapEndpoints,
  reconciliationEndpoints,
  writeOffEndpoints,
} from "./billing-reports.ts"

/** The parts of the running gateway that the management API needs. */
export interface AdminParts extends SystemParts {
  readonly store: Store
  /** Opens a database for scanning all rows. */
  readonly openReader: () => Promise<StoreReader>
  /** Reports about past requests, which are read on a separate thread. */
  readonly reports: Reports
  /** The stored prompts and responses of accounts that have enabled storing them. */
  readonly payloads: PayloadLog
  readonly failures: FailureLog
  /** The users of the console and their credentials. */
  readonly openConsoleStore: () => Promise<ConsoleStore>
  readonly secrets: InstallationSecrets
  readonly hasher: KeyHasher
  readonly keyring: Keyring
  readonly idempotency: Idempotency
  readonly memory: MemoryBudget
  readonly events: Events
  readonly notices: Notices
  /** Encrypts the destinations of notices. */
  readonly noticeCipher: SecretCipher
  /** Returns the active settings. */
  readonly settings: () => Settings
  /** The active settings with their sources. */
  readonly live: LiveSettings
  readonly priceUpdates: PriceUpdates
  /** Returns the active models. */
  readonly catalog: () => Catalog
  readonly learnedRules: LearnedRules
  readonly health: Health
  /** Path of the settings file, if one exists. */
  readonly file: string | undefined
  /** The public address without `/v1`. */
  readonly baseUrl: BaseUrl
}

/** The management API of a running gateway, opened with its first request. */
export interface Admin extends AsyncDisposable {
  readonly handler: Handler
  /** Handles Stripe's webhook. */
  readonly stripe: Handler
}

/** Opens the parts that only the management API needs, and builds its services. */
export async function openAdmin(parts: AdminParts): Promise<Admin> {
  const { store, reports, events, settings } = parts
  await using opening = new AsyncDisposableStack()
  const audit = new Audit(store)
  const payments = new Payments({
    store,
    audit,
    settings: () => settings().stripe,
    baseUrl: parts.baseUrl,
    warn: events.warning,
    alarm: (problem) => reportPayment(parts, problem),
  })
  const consoleStore = await parts.openConsoleStore()
  const limits = new AttemptLimits(consoleStore)
  const userAccess = opening.use(openUserAccess({ ...parts, consoleStore, audit }))
  const uses = usesOf(reports, events)
  const keys = new Keys(store, audit, parts.hasher, { uses, changed: () => keysChanged(parts) })
  const requests = new Requests({
    store,
    reports,
    payloads: parts.payloads,
    failures: parts.failures,
  })
  const failures = new Failures({ log: parts.failures, reports, requests })
  const endpoints = [
    ...ledgerEndpoints({ ...parts, audit, limits }, payments),
    ...keyEndpoints({ keys }),
    ...receiptEndpoints({ requests }),
    ...failureEndpoints({ failures, allRequests: new AllRequests(requests, failures) }),
    ...usageEndpoints({
      usageReports: new UsageReports(store, reports),
      usageChanges: new UsageChangeReports(reports),
      overviews: new Overviews(store, reports),
      reliability: new ReliabilityReports(reports),
      requestCounts: new RequestCountReports(reports, parts.failures),
    }),
    ...writeOffEndpoints({ writeOffs: new WriteOffs(store) }),
    ...billingGapEndpoints({ billingGaps: new BillingGapReports(store) }),
    ...reconciliationEndpoints({ reconciliations: new Reconciliations(store, audit) }),
    ...noticeEndpoints({ notices: noticesOf(parts, { audit, limits, users: userAccess.users }) }),
    ...auditEndpoints({ auditLog: new AuditLog(store, audit, userAccess.users) }),
    ...priceEndpoints(parts),
    ...consoleEndpoints(parts, audit, limits),
    ...systemEndpoints({ system: new System(parts) }),
    ...userAccess.endpoints,
  ]
  const guard = new Guard({
    actorOf: userAccess.actorOf,
    adminToken: () => settings().adminToken,
    trustedOrigins: () => [parts.baseUrl(), ...(settings().console?.trustedOrigins ?? [])],
  })
  const handler = adminApp(endpoints, {
    guard,
    events,
    idempotency: parts.idempotency,
    memory: parts.memory,
    limits: new PersonLimits(),
    publicUrl: () => settings().publicUrl,
  })
  const stripe = stripeWebhook({ payments, events })
  const opened = opening.move()
  return { handler, stripe, [Symbol.asyncDispose]: () => opened.disposeAsync() }
}

/** Reports a payment problem in the log and as a notice. Repeated problems cause a single notice. */
function reportPayment(
  { events, notices }: Pick<AdminParts, "events" | "notices">,
  problem: PaymentProblem,
): void {
  const { event, type, object, reason } = problem
  const action = `Check the event in Stripe's dashboard, and adjust the credits of the account manually if they differ.`
  events.warning(
    `the Stripe event ${event} (${type}, ${object}) was not applied: ${reason}. ${action}`,
  )
  const mark = { name: `payment:${event}:${object}`, from: null, to: "told" }
  notices.notify({ type: "payment.rejected", data: { event, type, object, reason, action }, mark })
}

/** Builds the endpoints of accounts, their ledgers, and redeemable codes. */
function ledgerEndpoints(
  parts: RedemptionParts & Pick<AdminParts, "keyring" | "events" | "settings" | "live" | "reports">,
  payments: Payments,
): readonly AdminEndpoint[] {
  const { store, audit, hasher } = parts
  return [
    ...accountEndpoints({
      accounts: new Accounts(store, audit, {
        changed: () => keysChanged(parts),
        templates: () => parts.settings().accountTemplates ?? {},
        usage: new AccountUsage(parts.reports),
        warn: parts.events.warning,
        hasPriceGroup: async (id) => {
          await parts.live.refresh()
          return Object.hasOwn(parts.settings().priceGroups ?? {}, id)
        },
      }),
      payments,
    }),
    ...memberKeyEndpoints(new MemberKeyManagement(store, audit)),
    ...labelBudgetEndpoints(new LabelBudgetManagement(store, audit, () => keysChanged(parts))),
    ...creditEndpoints({
      credits: new Credits(store, audit),
      redemptions: new Redemptions(parts),
      statements: new Statements(store),
    }),
    ...codeEndpoints({ codes: new Codes(store, audit, hasher) }),
  ]
}

function noticesOf(
  { store, notices, noticeCipher: cipher, settings }: AdminParts,
  parts: Pick<NoticeManagementParts, "audit" | "limits" | "users">,
): NoticeManagement {
  return new NoticeManagement({
    ...parts,
    store,
    notices,
    cipher,
    settings: () => settings().notices,
  })
}

/** Builds the endpoints of providers, models, prices and settings. */
function consoleEndpoints(
  { store, live, catalog, learnedRules, health, failures, file, openReader, settings }: AdminParts,
  audit: Audit,
  limits: AttemptLimits,
): readonly AdminEndpoint[] {
  const changes = new ConsoleChanges(live, store, audit)
  const parts = { changes, health, catalog }
  const priceGroupOf = async (account: string) =>
    (await store.accounts.find(account))?.limits.priceGroup
  const providers = new Providers(parts)
  const models = new Models({ ...parts, learnedRules, failures, priceGroupOf })
  return [
    ...providerEndpoints({ providers }),
    ...priceGroupEndpoints(new PriceGroupManagement({ changes, store, catalog })),
    ...modelEndpoints({ models, modelTests: new ModelTests(models, providers) }),
    ...settingsEndpoints({
      gatewaySettings: new GatewaySettings({ ...parts, file, openReader }),
      settingsTests: new SettingsTests({ settings, limits }),
      issuers: new IssuerManagement(changes),
    }),
  ]
}

/**
 * Announces changed keys to all processes of this machine before their next request. If this fails, the next change
 * announces them too.
 */
async function keysChanged({
  keyring,
  events,
}: Pick<AdminParts, "keyring" | "events">): Promise<void> {
  try {
    await keyring.changed()
  } catch (error) {
    events.nodeFailed(error)
  }
}

/**
 * Returns when keys were used. If the lookup fails, only this information is omitted, because the response may contain
 * a secret that is shown only once.
 */
function usesOf(reports: Reports, events: Events): KeyUses {
  return async (ids) => {
    try {
      const uses = await (await reports.upToDate()).keyUses(ids)
      return new Map(uses.map((use) => [use.key, use]))
    } catch (error) {
      events.warning(`cannot read the use of keys: ${String(error)}`)
      return new Map()
    }
  }
}
