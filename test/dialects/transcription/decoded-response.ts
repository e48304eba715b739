import { asGatewayError } from "../../../src/canon/errors.ts"
import type { JsonObject } from "../../../src/canon/json.ts"
import type { Transcript, TranscriptionRequest } from "../../../src/canon/transcription.ts"
import { vendors } from "../../../src/vendors/index.ts"
import { responseOf, transcriptionOf } from "../../support/audio-request.ts"

export function decoded(
  vendor: string,
  body: JsonObject | string,
  parts: Partial<TranscriptionRequest> = {},
): Transcript {
  const format = vendors.get(vendor)?.operations?.transcription
  if (!format) throw new Error(`${vendor} does not transcribe`)
  return format.decode(responseOf(body), transcriptionOf(parts))
}

export function failureOf(work: () => unknown) {
  try {
    work()
  } catch (error) {
    return asGatewayError(error)
  }
  throw new Error("expected a failure")
}
