import { FailureQueue } from "../failures/failure-queue.ts"
import type { ServingDatabase } from "../store/serving-database.ts"
import type { FailureLog } from "../store/failure-log.ts"
import type { Events } from "../telemetry/events.ts"

/** Opens the log of recent failures, and the events that fill it. */
export function openFailures(
  { failures: log }: Pick<ServingDatabase, "failures">,
  events: Events,
  building: AsyncDisposableStack,
): { readonly events: Events; readonly failures: FailureLog } {
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
  return { events: Object.assign(Object.create(events) as Events, kept), failures: queue.log }
}
