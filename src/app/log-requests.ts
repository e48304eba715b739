import type { RequestObserver } from "../relay/billing/request-observer.ts"
import { type RequestLine, releasedLine, settledLine } from "../relay/billing/request-line.ts"
import type { Events } from "../telemetry/events.ts"

/** Writes a line for each request that has ended: one text, wherever it goes. */
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

/** Writes a line for each answer that is an error, of requests that were refused before they held money too. */
export function loggedErrors(events: Events): Events {
  const logged: Pick<Events, "errorAnswered"> = {
    errorAnswered: (answered) => {
      events.errorAnswered(answered)
      events.requestRefused(answered.request, answered.endpoint, answered.kind)
    },
  }
  return Object.assign(Object.create(events) as Events, logged)
}
