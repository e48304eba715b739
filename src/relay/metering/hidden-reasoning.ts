import { type JsonObject, objectAt } from "../../canon/json.ts"
import type { Deployment } from "../../catalog/model.ts"
import type { Meter } from "./meter.ts"

/** Tokens that models with hidden reasoning produce in a second, for reasoning that no provider has counted. */
const TOKENS_PER_SECOND = 100

/** The parts of a call that decide whether its answer shows the reasoning. */
interface ReasoningCall {
  readonly deployment: Deployment
  /** The request to the provider. */
  readonly body?: JsonObject
}

/** Whether an answer may lack reasoning that its provider bills. */
export function hidesReasoning({ deployment, body }: ReasoningCall): boolean {
  return deployment.hidesReasoning === true || (body !== undefined && asksToHide(body))
}

/** Groq, Cerebras, vLLM and OpenRouter leave reasoning out on request. */
function asksToHide(body: JsonObject): boolean {
  return (
    body.reasoning_format === "hidden" ||
    body.include_reasoning === false ||
    objectAt(body, "reasoning")?.exclude === true
  )
}

/** Tokens of hidden reasoning, by the time that passed before the answer's first text. */
export function estimateHidden(call: ReasoningCall, meter: Meter): number {
  return hidesReasoning(call) ? Math.ceil((meter.silentMs / 1000) * TOKENS_PER_SECOND) : 0
}
