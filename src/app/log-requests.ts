import type { RequestObserver } from "../relay/billing/request-observer.ts"
import { releasedLine, settledLine } from "../relay/billing/request-line.ts"
import type { Events } from "../telemetry/events.ts"

/** Writes a line into the log for each request that has ended. */
export function loggedRequests(events: Pick<Events, "requestEnded">): RequestObserver {
  return {
    settled: (request) => events.requestEnded(settledLine(request)),
    released: (charge) => events.requestEnded(releasedLine(charge)),
  }
}

/** The same for answers that are errors, of requests that were refused before they held money too. */
export function loggedErrors(events: Events): Events {
  const logged: Pick<Events, "errorAnswered"> = {
    errorAnswered: (answered) => {
      events.errorAnswered(answered)
      events.requestRefused(answered.request, answered.endpoint, answered.kind)
    },
  }
  return Object.assign(Object.create(events) as Events, logged)
}
