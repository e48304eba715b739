import { Audit } from "../../management/audit.ts"
import { ConsoleChanges } from "../../management/console-changes.ts"
import { type PaymentProblem, Payments } from "../../management/payments.ts"
import { AttemptLimits } from "../../users/attempt-limits.ts"
import type { Handler } from "../server.ts"
import {
  accountEndpoints,
  codeEndpoints,
  creditEndpoints,
  keyEndpoints,
  labelBudgetEndpoints,
  memberKeyEndpoints,
} from "./accounts.ts"
import { adminApp } from "./app.ts"
import { catalogEndpoints } from "./catalog.ts"
import { Guard } from "./guard.ts"
import type { AdminParts } from "./parts.ts"
import { PersonLimits } from "./person-limits.ts"
import { auditEndpoints, billingEndpoints, requestEndpoints, usageEndpoints } from "./requests.ts"
import { noticeEndpoints, settingsEndpoints, systemEndpoints } from "./settings.ts"
import { stripeWebhook } from "./stripe-webhook.ts"
import { openUserAccess } from "./user-access.ts"

/** The management API of a running gateway, opened with its first request. */
export interface Admin extends AsyncDisposable {
  readonly handler: Handler
  /** Handles Stripe's webhook. */
  readonly stripe: Handler
}

/** Opens the parts that only the management API needs, and builds its services. */
export async function openAdmin(given: AdminParts): Promise<Admin> {
  const { store, events, settings, live, idempotency, memory, baseUrl } = given
  await using opening = new AsyncDisposableStack()
  const audit = new Audit(store)
  const payments = new Payments({
    store,
    audit,
    settings: () => settings().stripe,
    baseUrl,
    warn: events.warning,
    alarm: (problem) => reportPayment(given, problem),
  })
  const consoleStore = await given.openConsoleStore()
  const access = opening.use(openUserAccess({ ...given, audit, consoleStore }))
  const limits = new AttemptLimits(consoleStore)
  const parts = { ...given, audit, limits, users: access.users }
  const changes = new ConsoleChanges(live, store, audit)
  const endpoints = [
    ...accountEndpoints(parts, payments),
    ...memberKeyEndpoints(parts),
    ...labelBudgetEndpoints(parts),
    ...creditEndpoints(parts),
    ...codeEndpoints(parts),
    ...keyEndpoints(parts),
    ...requestEndpoints(parts),
    ...usageEndpoints(parts),
    ...billingEndpoints(parts),
    ...noticeEndpoints(parts),
    ...auditEndpoints(parts),
    ...catalogEndpoints(parts, changes),
    ...settingsEndpoints(parts, changes),
    ...systemEndpoints(parts),
    ...access.endpoints,
  ]
  const guard = new Guard({
    actorOf: access.actorOf,
    adminToken: () => settings().adminToken,
    trustedOrigins: () => [baseUrl(), ...(settings().console?.trustedOrigins ?? [])],
  })
  const handler = adminApp(endpoints, {
    guard,
    events,
    idempotency,
    memory,
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
