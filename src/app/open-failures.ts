import { FailureQueue } from "../failures/failure-queue.ts"
import type { ServingDatabase } from "../store/serving-database.ts"
import type { Events } from "../telemetry/events.ts"

/** What keeps the failures of the last days, and the events of which it hears. */
export function openFailures(
  { failures: log }: Pick<ServingDatabase, "failures">,
  events: Events,
  building: AsyncDisposableStack,
): Events {
  const queue = building.use(new FailureQueue({ log, onLoss: events.failuresLost }))
  const kept: Pick<Events, "errorAnswered" | "attemptEnded"> = {
    errorAnswered: (answered) => {
      events.errorAnswered(answered)
      queue.answered(answered)
    },
    attemptEnded: (failure) => {
      events.attemptEnded(failure)
      queue.attemptEnded(failure)
    },
  }
  return Object.assign(Object.create(events) as Events, kept)
}
