import { isHoldSpent } from "../billing/estimated-usage.ts"
import { drainRuleOf } from "../request/runtime-config.ts"
import type { TokenCounter } from "../tokens/token-counter.ts"
import type { ChatContext } from "./chat-context.ts"
import { Meter } from "../metering/meter.ts"
import { type Plan, recordOf } from "./plan.ts"
import type { StateRecorder } from "../state/state-recorder.ts"
import { RestoringDecoder } from "../fitting/restored-response.ts"
import { StreamLimits } from "./stream-limits.ts"
import type { Attempt } from "../upstream/attempt.ts"
import type { StreamParts } from "./response-stream.ts"

/** The objects that read and count the stream of one upstream call, even if the caller receives a whole response. */
export type ReadingParts = Omit<StreamParts, "writer">

/**
 * Builds the readers and the meter for the stream of one call.
 * @param recorder records the ids of state that the vendor stores with the response.
 */
export function readingParts(
  counter: TokenCounter,
  context: ChatContext,
  attempt: Attempt<Plan>,
  recorder: StateRecorder | undefined,
): ReadingParts {
  const { plan, startedAt } = attempt
  const { config, charge } = context
  const { restoration } = plan
  const read = plan.binding.dialect.decodeEvents(plan.request)
  const decoder = restoration ? new RestoringDecoder(read, restoration) : read
  const meter = new Meter(decoder.other)
  meter.begunAt = startedAt
  attempt.meter = meter
  return {
    decoder,
    meter,
    record: recordOf(charge, plan),
    recorder,
    limits: limitsOf(counter, context, plan),
    drain: drainRuleOf(config, charge.model),
    isHoldSpent: () => isHoldSpent({ charge, deployment: plan.deployment, meter }),
  }
}

function limitsOf(
  counter: TokenCounter,
  { charge }: ChatContext,
  { limits, request }: Plan,
): StreamLimits | undefined {
  if (limits === undefined) return undefined
  return new StreamLimits(limits, request.choices, counter.of(charge.call.key.account))
}
