import type { RequestObserver } from "../relay/billing/request-observer.ts"
import { type RequestLine, releasedLine, settledLine } from "../relay/billing/request-line.ts"
import type { Events } from "../telemetry/events.ts"

/** Writes one line per ended request. All destinations receive the same text. */
export function loggedRequests(places: readonly ((line: string) => void)[]): RequestObserver {
  const write = (line: RequestLine): void => {
    const text = JSON.stringify(line)
    for (const place of places) place(text)
  }
  return {
    settled: (request) => write(settledLine(request)),
    released: (charge, endedAt) => write(releasedLine(charge, endedAt)),
  }
}

/** Logs every error response, including those to requests rejected before credits were held. */
export function loggedErrors(events: Events): Events {
  const logged: Pick<Events, "errorAnswered"> = {
    errorAnswered: (answered) => {
      events.errorAnswered(answered)
      events.requestRejected(answered.request, answered.endpoint, answered.kind)
    },
  }
  return Object.assign(Object.create(events) as Events, logged)
}
