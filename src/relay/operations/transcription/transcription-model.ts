import type { TranscriptionRequest } from "../../../canon/transcription.ts"
import type { Model } from "../../../catalog/model.ts"
import { atNoExtraPrice } from "../../billable/passed-fields.ts"
import type { Call } from "../../pipeline/call.ts"
import type { Surroundings } from "../../pipeline/exchange.ts"

/** The model that a request names. @throws GatewayError where it is none, or not this key's. */
export function modelOf(
  { key }: Call,
  { model, extra }: TranscriptionRequest,
  surroundings: Surroundings,
): Model {
  const known = surroundings.catalog.require(model, "transcription", key)
  return atNoExtraPrice(known, extra, surroundings)
}

/** Whether a request needs a second model: English is asked for, and no vendor of its own can be asked for that. */
export function needsTranslator(
  { task }: TranscriptionRequest,
  { deployments }: Model,
  { endpoints }: Surroundings,
): boolean {
  if (task === "transcribe") return false
  return deployments.every(({ provider, upstreamModel }) => {
    const format = endpoints.get(provider)?.vendor.operations?.transcription
    // What cannot transcribe either is to be refused for that.
    return format !== undefined && !format.translates(upstreamModel)
  })
}
