import type { TranscriptionRequest, TranscriptionTask } from "../../canon/transcription.ts"
import {
  decodeTranscription,
  TRANSCRIPTION_FIELDS,
  withAudio,
} from "../../dialects/transcription/request.ts"
import { readAudioHead } from "../../media/audio-file.ts"
import type { BegunTranscription } from "../../relay/operations/transcription/begun-transcription.ts"
import type { Call } from "../../relay/pipeline/call.ts"
import type { Transcribing } from "../../relay/operations/transcription/transcriptions.ts"
import type { ArrivingFile } from "../read-form.ts"

/** An upload that has begun to come. */
export interface ArrivingUpload {
  readonly arriving: ArrivingFile
  readonly task: TranscriptionTask
  readonly call: () => Call
  readonly request: Request
}

/**
 * A transcription that begins while its sound still comes, if all that is needed came before it. What is
 * wrong with it is told when the form is whole, and what was begun and not taken is ended.
 */
export class EarlyStart implements AsyncDisposable {
  readonly #transcribing: Transcribing
  #begun: Promise<BegunTranscription | undefined> | undefined
  /** Whether something was begun that was of another request: the id of its call is used up. */
  wasDropped = false

  constructor(transcribing: Transcribing) {
    this.#transcribing = transcribing
  }

  begin(upload: ArrivingUpload): void {
    this.#begun = this.#begin(upload).catch(() => undefined)
  }

  async #begin({ arriving, task, call, request }: ArrivingUpload) {
    const wish = decodeTranscription(arriving.parameters(TRANSCRIPTION_FIELDS), task)
    const head = await readAudioHead(arriving.file)
    // How long it is really is asked only once it has been heard.
    const wanted = withAudio(wish, { ...head, seconds: head.mostSeconds })
    const order = { request: wanted, isWhole: arriving.isHere }
    return await this.#transcribing.begin(call(), order, request)
  }

  /** What was begun, if it is of this request. */
  async take(request: TranscriptionRequest): Promise<BegunTranscription | undefined> {
    const begun = await this.#begun
    this.#begun = undefined
    if (begun === undefined || begun.fits(request)) return begun
    begun.drop()
    this.wasDropped = true
    return undefined
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const begun = await this.#begun
    begun?.drop()
  }
}
