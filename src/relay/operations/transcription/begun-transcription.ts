import { isDeepStrictEqual } from "node:util"
import type { TranscriptionRequest } from "../../../canon/transcription.ts"
import type { Model } from "../../../catalog/model.ts"
import { NOT_NEEDED } from "../../pipeline/exchange.ts"
import type { AdmittedOperation } from "../operations.ts"

/** A request whose sound still comes. */
export interface ArrivingRequest {
  readonly request: TranscriptionRequest
  /** Whether all of it has come. */
  readonly isWhole: () => boolean
}

/** A transcription that began before its sound was whole. */
export class BegunTranscription {
  readonly admitted: AdmittedOperation
  readonly model: Model
  readonly #request: TranscriptionRequest

  constructor(admitted: AdmittedOperation, model: Model, request: TranscriptionRequest) {
    this.admitted = admitted
    this.model = model
    this.#request = request
  }

  /** Whether it is of this request: nothing came behind the sound, which is as long as was foretold. */
  fits(request: TranscriptionRequest): boolean {
    return isDeepStrictEqual(essence(this.#request), essence(request))
  }

  /** Ends it. Nothing is held any more. */
  drop(): void {
    this.admitted.release(NOT_NEEDED)
  }
}

function essence({ audio, ...wish }: TranscriptionRequest): object {
  return { ...wish, container: audio.container, bytes: audio.file.size }
}
