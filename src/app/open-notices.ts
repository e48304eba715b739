import { upcomingChanges } from "../catalog/prices/upcoming.ts"
import { SecretCipher } from "../config/secret-cipher.ts"
import { Audit } from "../management/audit.ts"
import { SpendPace } from "../management/spend-pace.ts"
import { Mail } from "../notices/channels/mail.ts"
import { Webhook, Slack } from "../notices/channels/webhook.ts"
import { Deliveries } from "../notices/deliveries.ts"
import { Notices } from "../notices/notices.ts"
import { ProblemNotices } from "../notices/problem-notices.ts"
import { Watch } from "../notices/watch.ts"
import type { Health } from "../routing/health.ts"
import type { Events } from "../telemetry/events.ts"
import type { OpenDatabase } from "./open-database.ts"
import type { AppOptions } from "./options.ts"
import type { State } from "./state.ts"

export interface NoticeParts extends Pick<OpenDatabase, "store" | "secrets" | "database"> {
  readonly state: State
  readonly health: Health
  readonly options: Pick<AppOptions, "events" | "noticePace">
}

/** Opens the notices for people and the parts that raise them. */
export function openNotices(parts: NoticeParts, building: AsyncDisposableStack) {
  const { store, secrets, database, state, health, options } = parts
  const { events: alarms, noticePace: every } = options
  const notices = new Notices(store, alarms)
  const problemNotices = new ProblemNotices(notices)
  const allowsPrivate = (): boolean => state.settings.notices.allowsPrivate
  const channels = {
    webhook: new Webhook(allowsPrivate),
    slack: new Slack(allowsPrivate),
    email: new Mail(() => state.settings.notices.mail),
  }
  const pace = every === undefined ? {} : { every }
  const cipher = new SecretCipher(secrets)
  const deliveries = building.use(new Deliveries({ store, cipher, channels, alarms, ...pace }))
  const spending = new SpendPace({ store, audit: new Audit(store), reports: database.reports })
  building.use(
    new Watch({
      store,
      notices,
      alarms,
      backup: () => state.settings.backup,
      upcoming: (now) => upcomingChanges(state.config.catalog.list(), now),
      pace: (now) => spending.checkAll(now),
      ...pace,
    }),
  )
  building.defer(() => notices.settled())
  notices.onRaised = () => void deliveries.deliverNow()
  health.onProblem = (report, reason) => problemNotices.deployment(report, reason)
  return { notices, noticeCipher: cipher, events: noticedEvents(alarms, notices, problemNotices) }
}

/** Wraps the events, so that some of them also raise notices. */
function noticedEvents(events: Events, notices: Notices, problemNotices: ProblemNotices): Events {
  const told: Pick<
    Events,
    "unpricedFeatureAllowed" | "usageUncharged" | "priceBelowCost" | "priceChanged"
  > = {
    priceChanged: (news) => {
      events.priceChanged(news)
      notices.notify({ type: "price.changed", data: { ...news } })
    },
    unpricedFeatureAllowed: (request, deployment, places) => {
      events.unpricedFeatureAllowed(request, deployment, places)
      problemNotices.unpriced(request, deployment, places)
    },
    usageUncharged: (request, deployment, name) => {
      events.usageUncharged(request, deployment, name)
      problemNotices.unpriced(request, deployment, [name])
    },
    priceBelowCost: (request, deployment, costs) => {
      events.priceBelowCost(request, deployment, costs)
      problemNotices.priceBelowCost(request, deployment, costs)
    },
  }
  return Object.assign(Object.create(events) as Events, told)
}
