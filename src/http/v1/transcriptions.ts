import { asGatewayError, GatewayError } from "../../canon/errors.ts"
import { IncompleteFile } from "../../canon/form-file.ts"
import { missingParameter } from "../../canon/invalid-request.ts"
import type { TranscriptionRequest, TranscriptionTask } from "../../canon/transcription.ts"
import {
  decodeTranscription,
  TRANSCRIPTION_FIELDS,
  withAudio,
} from "../../dialects/transcription/request.ts"
import type { Keyring } from "../../keys/keyring.ts"
import { readAudio, readAudioHead } from "../../media/audio-file.ts"
import type { Transcription } from "../../relay/operations/transcription/transcription.ts"
import type { Transcribing } from "../../relay/operations/transcription/transcriptions.ts"
import type { Events } from "../../telemetry/events.ts"
import type { MemoryBudget, Reservation } from "../../limits/memory-budget.ts"
import { errorAnswer } from "../answers.ts"
import { heldAnswer } from "../held-answer.ts"
import { type Pace, USUAL_PACE } from "../incoming-body.ts"
import { type Form, receiveUpload, type UploadInProgress } from "../uploads/read-form.ts"
import { newRequestId } from "../request-id.ts"
import type { Handler, Route } from "../server.ts"
import type { Spool } from "../uploads/spool.ts"
import { callOf } from "./calls.ts"

export interface TranscriptionServices {
  readonly keyring: Keyring
  readonly events: Events
  readonly spool: Spool
  readonly transcribing: Transcribing
  readonly memory: MemoryBudget
  readonly pace?: Pace
}

/** `POST /v1/audio/transcriptions` */
export const TRANSCRIPTIONS_PATH = "/v1/audio/transcriptions"
/** `POST /v1/audio/translations` */
export const TRANSLATIONS_PATH = "/v1/audio/translations"

/** One file of at most 25 MB (SPEC, Limits). */
const FILES = { file: { count: 1, bytes: 25 * 1024 * 1024 } }

/** Writes down what a sound says. */
export function transcriptions(services: TranscriptionServices): Route {
  return routeOf("transcribe", TRANSCRIPTIONS_PATH, services)
}

/** Writes down in English what a sound says. */
export function translations(services: TranscriptionServices): Route {
  return routeOf("translate", TRANSLATIONS_PATH, services)
}

function routeOf(task: TranscriptionTask, path: string, services: TranscriptionServices): Route {
  const handler = fromForm(task, path, services)
  return { method: "POST", path, handler, errors: errorAnswer }
}

function fromForm(task: TranscriptionTask, path: string, services: TranscriptionServices): Handler {
  const { keyring, spool, transcribing, events, pace = USUAL_PACE } = services
  return async function handle(request, connection, id = newRequestId()) {
    let memory: Reservation | undefined
    try {
      const receivedAt = Date.now()
      const startedAt = performance.now()
      const found = keyring.identify(request.headers, receivedAt)
      const key = found instanceof Promise ? await found : found
      const held = (memory = services.memory.open(key))
      const upload = await receiveUpload(request, spool, FILES, { memory: held, pace })
      held.defer(() => closeLater(upload, id, events))
      const known = { id, path, request, caller: { key, memory: held }, receivedAt, startedAt }
      const call = callOf(known, upload.bytes)
      using transcription = transcribing.prepare(call, request)
      try {
        await begin(transcription, upload, task)
      } catch (error) {
        // What is wrong with the request is told when it is complete.
        if (!isExpected(error)) events.requestFailed(id, error)
      }
      const form = await upload.completed
      connection.waitLong()
      const { headers, body } = await transcription.answer(await requestOf(form, task))
      const ids = { "x-request-id": id, "request-id": id }
      return heldAnswer({ headers: { ...headers, ...ids }, body }, held)
    } catch (thrown) {
      memory?.[Symbol.dispose]()
      const error = asGatewayError(thrown)
      if (error.kind === "internal_error") services.events.requestFailed(id, thrown)
      return errorAnswer(error, id)
    }
  }
}

/** Begins with a sound that is still arriving, where all that is needed came before it. */
async function begin(
  transcription: Transcription,
  { file, parameters }: UploadInProgress,
  task: TranscriptionTask,
): Promise<void> {
  if (!file) return
  const fields = decodeTranscription(parameters(TRANSCRIPTION_FIELDS), task)
  const head = await readAudioHead(file)
  // How long it really is can only be seen when it is complete.
  await transcription.begin(withAudio(fields, { ...head, seconds: head.mostSeconds }))
}

function isExpected(error: unknown): boolean {
  return error instanceof GatewayError || error instanceof IncompleteFile
}

async function requestOf(form: Form, task: TranscriptionTask): Promise<TranscriptionRequest> {
  const fields = decodeTranscription(form.parameters(TRANSCRIPTION_FIELDS), task)
  const [file] = form.files
  if (!file) throw missingParameter("file")
  return withAudio(fields, await readAudio(file))
}

function closeLater(upload: UploadInProgress, id: string, events: Events): void {
  upload[Symbol.asyncDispose]().then(undefined, (error: unknown) => events.requestFailed(id, error))
}
