import { type JsonObject, objectAt } from "../../canon/json.ts"
import type { Deployment } from "../../catalog/model.ts"
import type { Meter } from "./meter.ts"

/** Tokens per second that models with hidden reasoning generate, for reasoning that no provider has counted. */
const TOKENS_PER_SECOND = 100

/** The parts of a call that determine whether its response shows the reasoning. */
interface ReasoningCall {
  readonly deployment: Deployment
  /** The body of the request to the provider. */
  readonly body?: JsonObject
}

/** Whether a response may lack reasoning that the provider bills. */
export function hidesReasoning({ deployment, body }: ReasoningCall): boolean {
  return deployment.hidesReasoning === true || (body !== undefined && asksToHide(body))
}

/** Whether a request hides reasoning, which Groq, Cerebras, vLLM and OpenRouter support. */
function asksToHide(body: JsonObject): boolean {
  return (
    body.reasoning_format === "hidden" ||
    body.include_reasoning === false ||
    objectAt(body, "reasoning")?.exclude === true
  )
}

/** Estimates the tokens of hidden reasoning from the time before the first text of the response. */
export function estimateHidden(call: ReasoningCall, meter: Meter): number {
  return hidesReasoning(call) ? Math.ceil((meter.silentMs / 1000) * TOKENS_PER_SECOND) : 0
}

/** Estimates like `estimateHidden`, unless the provider has reported the usage of the response. */
export function uncountedHidden(call: ReasoningCall, meter: Meter): number {
  return meter.isCounted ? 0 : estimateHidden(call, meter)
}
