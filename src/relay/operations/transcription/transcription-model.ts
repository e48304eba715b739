import type { TranscriptionRequest } from "../../../canon/transcription.ts"
import type { Model } from "../../../catalog/model.ts"
import { atNoExtraPrice } from "../../billable/passed-fields.ts"
import type { Call } from "../../pipeline/call.ts"
import type { RuntimeConfig } from "../../pipeline/runtime-config.ts"

/** The model that a request names. @throws GatewayError where it is none, or not this key's. */
export function modelOf(
  { key }: Call,
  { model, extra }: TranscriptionRequest,
  config: RuntimeConfig,
): Model {
  const known = config.catalog.require(model, "transcription", key)
  return atNoExtraPrice(known, extra, config)
}

/** Whether a request needs a second model: English is asked for, and no vendor of its own can be asked for that. */
export function needsTranslator(
  { task }: TranscriptionRequest,
  { deployments }: Model,
  { endpoints }: RuntimeConfig,
): boolean {
  if (task === "transcribe") return false
  return deployments.every(({ provider, upstreamModel }) => {
    const format = endpoints.get(provider)?.vendor.operations?.transcription
    // What cannot transcribe either is to be refused for that.
    return format !== undefined && !format.translates(upstreamModel)
  })
}
