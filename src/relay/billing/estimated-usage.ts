import { NO_USAGE, type Usage } from "../../canon/usage.ts"
import type { Deployment } from "../../catalog/model.ts"
import { costOf } from "../../ledger/price.ts"
import { imageTokens } from "../../media/generated-image-tokens.ts"
import type { PendingCharge } from "./pending-charge.ts"
import { CHARACTERS_OF_TOKEN } from "./provider-cost.ts"
import { estimateInput, textOf } from "./bounds.ts"
import type { Meter } from "../metering/meter.ts"
import { audioTokensOf } from "../../media/generated-audio-tokens.ts"
import type { TokenCounter } from "../tokens/token-counter.ts"

/** A delivered response that must be charged. */
export interface DeliveredResponse {
  readonly charge: PendingCharge
  readonly deployment: Deployment
  readonly meter: Meter
}

/** Estimates the usage of a response from the request and the delivered content. */
export async function estimateUsage(
  counter: TokenCounter,
  { charge, deployment, meter }: DeliveredResponse,
): Promise<Usage> {
  const { call, request, model, state } = charge
  if (!request) throw new Error("only chat can be estimated from its delivered content")
  const { other } = meter
  const own = counter.of(call.key.account)
  const [input, output] = await Promise.all([own.count(textOf(request)), own.count(meter.text)])
  const kept = Math.max(1, meter.text.length)
  const outputGuess = output ?? Math.ceil(meter.text.length / CHARACTERS_OF_TOKEN)
  const text = Math.ceil((outputGuess * Math.max(kept, meter.characters)) / kept)
  const image = other.images === 0 ? 0 : imageTokens(deployment.upstreamModel)
  const { bodyBytes } = call
  const { calls } = meter
  return {
    ...estimateInput({ request, bodyBytes, model, counted: input, kept: state?.tokens, calls }),
    output: text + Math.ceil(other.characters / CHARACTERS_OF_TOKEN),
    audioOutput: audioTokensOf(other.soundBytes, other.packedSoundBytes),
    imageOutput: other.images * image,
  }
}

/** Whether the received content of a chat costs as much as its hold, by an approximate count. */
export function isHoldSpent({ charge, deployment: { price }, meter }: DeliveredResponse): boolean {
  if (price === undefined) return false
  const output = Math.ceil((meter.characters + meter.other.characters) / CHARACTERS_OF_TOKEN)
  return costOf({ ...NO_USAGE, output }, price).total >= charge.hold.amount
}
