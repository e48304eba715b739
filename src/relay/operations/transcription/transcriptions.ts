import type { TranscriptionRequest } from "../../../canon/transcription.ts"
import type { Call, Caller } from "../../request/call.ts"
import type { OperationPlan } from "../operation-plan.ts"
import { Transcription } from "./transcription.ts"
import { modelOf, needsTranslator } from "./models.ts"
import { transcriptionPlan } from "./transcribe.ts"
import { translationPlans } from "./translation.ts"
import type { CountedOperationServices } from "../operations.ts"

/** Serves parsed requests to `POST /v1/audio/transcriptions` and `/translations`, and charges for the text. */
export class Transcriptions {
  readonly #services: CountedOperationServices

  constructor(services: CountedOperationServices) {
    this.#services = services
  }

  /** Returns a transcription for a request that may not have arrived completely. */
  prepare(call: Call, caller: Caller): Transcription {
    return new Transcription(this.#services, call, caller)
  }

  /**
   * Returns the plans of a request: one for the model, and one for the translator if another model must translate the
   * text.
   * @throws GatewayError if the request cannot be served.
   */
  plan(call: Call, request: TranscriptionRequest): OperationPlan[] {
    const { config } = this.#services.operations
    const model = modelOf(call, request, config)
    if (needsTranslator(request, model, config)) {
      return translationPlans(this.#services, { call, request, model })
    }
    return [transcriptionPlan({ call, request, model }, config)]
  }
}
