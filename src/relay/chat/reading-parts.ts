import { drainTimeOf } from "../pipeline/runtime-config.ts"
import type { TokenCounter } from "../tokens/token-counter.ts"
import type { ChatContext } from "./chat-context.ts"
import { Meter } from "./meter.ts"
import { type Plan, recordOf } from "./plan.ts"
import { RecordingDecoder, type StateRecorder } from "../state/state-recorder.ts"
import { RestoringDecoder } from "./restored-answer.ts"
import { StreamLimits } from "./stream-limits.ts"
import type { StreamParts } from "./answer-stream.ts"

/** How the stream of one upstream call is read and counted, streamed to its caller or not. */
export type ReadingParts = Omit<StreamParts, "writer">

/**
 * What reads the stream of one call of a plan.
 * @param recorder notes what the answer names of what its vendor keeps.
 */
export function readingParts(
  counter: TokenCounter,
  context: ChatContext,
  plan: Plan,
  recorder: StateRecorder | undefined,
): ReadingParts {
  const { restoration } = plan
  const read = plan.binding.dialect.decodeEvents(plan.request)
  const own = restoration ? new RestoringDecoder(read, restoration) : read
  const decoder = recorder ? new RecordingDecoder(own, recorder) : own
  const limits = limitsOf(counter, context, plan)
  return { decoder, meter: new Meter(own.other), record: recordOf(context.charge, plan), limits }
}

function limitsOf(
  counter: TokenCounter,
  { config, charge }: ChatContext,
  { limits, request }: Plan,
): StreamLimits | undefined {
  if (limits === undefined) return undefined
  const own = counter.of(charge.call.key.account)
  return new StreamLimits(limits, request.choices, own, drainTimeOf(config, charge.model))
}
