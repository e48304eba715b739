import { drainTimeOf, type Exchange, type RelayServices } from "../pipeline/exchange.ts"
import { Meter } from "./meter.ts"
import { type Plan, recordOf } from "./plan.ts"
import { RecordingDecoder, type StateRecorder } from "../state/state-recorder.ts"
import { StreamLimits } from "./stream-limits.ts"
import type { StreamParts } from "./upstream-stream.ts"

/** How the stream of one upstream call is read and counted, whoever it is for. */
export type ReadingParts = Omit<StreamParts, "writer">

/**
 * What reads the stream of one call of a plan.
 * @param recorder notes what the answer names of what its vendor keeps.
 */
export function readingParts(
  services: RelayServices,
  exchange: Exchange,
  plan: Plan,
  recorder: StateRecorder | undefined,
): ReadingParts {
  const own = plan.offer.dialect.decodeEvents(plan.request)
  const decoder = recorder ? new RecordingDecoder(own, recorder) : own
  const limits = limitsOf(services, exchange, plan)
  return { decoder, meter: new Meter(own.other), record: recordOf(exchange.bill, plan), limits }
}

function limitsOf(
  { counter }: RelayServices,
  { surroundings, bill }: Exchange,
  { limits, request }: Plan,
): StreamLimits | undefined {
  if (limits === undefined) return undefined
  return new StreamLimits(limits, request.choices, counter, drainTimeOf(surroundings, bill.model))
}
