import { asGatewayError } from "../../canon/errors.ts"
import { missingParameter } from "../../canon/invalid-request.ts"
import type { TranscriptionTask } from "../../canon/transcription.ts"
import {
  decodeTranscription,
  TRANSCRIPTION_FIELDS,
  withAudio,
} from "../../dialects/transcription/request.ts"
import type { Keyring } from "../../keys/keyring.ts"
import { readAudio } from "../../media/audio-file.ts"
import type { Transcribing } from "../../relay/transcribing.ts"
import type { Events } from "../../telemetry/events.ts"
import { errorAnswer } from "../answers.ts"
import { type Form, readForm } from "../read-form.ts"
import { newRequestId } from "../request-id.ts"
import type { Handler } from "../server.ts"
import type { Spool } from "../spool.ts"
import { callOf } from "./json-operation.ts"

export interface TranscriptionServices {
  readonly keyring: Keyring
  readonly events: Events
  readonly spool: Spool
  readonly transcribing: Transcribing
}

/** `POST /v1/audio/transcriptions` */
export const TRANSCRIPTIONS_PATH = "/v1/audio/transcriptions"
/** `POST /v1/audio/translations` */
export const TRANSLATIONS_PATH = "/v1/audio/translations"

/** One file of at most 25 MB (SPEC, Limits). */
const FILES = { file: { count: 1, bytes: 25 * 1024 * 1024 } }

/** Writes down what a sound says. */
export function transcriptions(services: TranscriptionServices): Handler {
  return fromForm("transcribe", TRANSCRIPTIONS_PATH, services)
}

/** Writes down in English what a sound says. */
export function translations(services: TranscriptionServices): Handler {
  return fromForm("translate", TRANSLATIONS_PATH, services)
}

function fromForm(task: TranscriptionTask, path: string, services: TranscriptionServices): Handler {
  return async function handle(request: Request, waitLong: () => void): Promise<Response> {
    const id = newRequestId()
    try {
      const receivedAt = Date.now()
      const key = services.keyring.authenticate(request.headers, receivedAt)
      const form = await readForm(request, services.spool, FILES)
      waitLong()
      const close = (): void => closeLater(form, id, services.events)
      const known = { id, key, endpoint: path, bodyBytes: form.bytes, receivedAt }
      const wanted = await closing(close, async () => {
        const wish = decodeTranscription(form.parameters(TRANSCRIPTION_FIELDS), task)
        const [file] = form.files
        if (!file) throw missingParameter("file")
        return {
          call: callOf(known, request.headers),
          wish: withAudio(wish, await readAudio(file)),
        }
      })
      const { call, wish } = wanted
      const answer = await services.transcribing.transcribe(call, wish, request, close)
      const ids = { "x-request-id": id, "request-id": id }
      return new Response(answer.body, { headers: { ...answer.headers, ...ids } })
    } catch (thrown) {
      const error = asGatewayError(thrown)
      if (error.kind === "internal_error") services.events.requestFailed(id, thrown)
      return errorAnswer(error, id)
    }
  }
}

/** Closes when the work fails; when it does not, whoever comes next does. */
async function closing<T>(close: () => void, work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    close()
    throw error
  }
}

function closeLater(form: Form, id: string, events: Events): void {
  form[Symbol.asyncDispose]().then(undefined, (error: unknown) => events.requestFailed(id, error))
}
