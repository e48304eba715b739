import { asGatewayError } from "../../canon/errors.ts"
import { missingParameter } from "../../canon/invalid-request.ts"
import type { TranscriptionRequest, TranscriptionTask } from "../../canon/transcription.ts"
import {
  decodeTranscription,
  TRANSCRIPTION_FIELDS,
  withAudio,
} from "../../dialects/transcription/request.ts"
import type { Keyring } from "../../keys/keyring.ts"
import { readAudio } from "../../media/audio-file.ts"
import type { Call } from "../../relay/pipeline/call.ts"
import type { Transcribing } from "../../relay/operations/transcription/transcriptions.ts"
import type { Events } from "../../telemetry/events.ts"
import type { MemoryBudget, Reservation } from "../../limits/memory-budget.ts"
import { errorAnswer } from "../answers.ts"
import { heldAnswer } from "../held-answer.ts"
import { type Pace, USUAL_PACE } from "../incoming-body.ts"
import { type ArrivingFile, type Form, readForm } from "../read-form.ts"
import { newRequestId } from "../request-id.ts"
import type { Handler } from "../server.ts"
import type { Spool } from "../spool.ts"
import { EarlyStart } from "./early-start.ts"
import { callOf } from "./json-operation.ts"

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
export function transcriptions(services: TranscriptionServices): Handler {
  return fromForm("transcribe", TRANSCRIPTIONS_PATH, services)
}

/** Writes down in English what a sound says. */
export function translations(services: TranscriptionServices): Handler {
  return fromForm("translate", TRANSLATIONS_PATH, services)
}

function fromForm(task: TranscriptionTask, path: string, services: TranscriptionServices): Handler {
  const { keyring, spool, transcribing, events, pace = USUAL_PACE } = services
  return async function handle(request, waitLong, given = newRequestId()) {
    let id = given
    let memory: Reservation | undefined
    try {
      const receivedAt = Date.now()
      const startedAt = performance.now()
      const found = keyring.identify(request.headers, receivedAt)
      const key = found instanceof Promise ? await found : found
      const held = (memory = services.memory.open(key))
      const callOfBytes = (bodyBytes: number): Call =>
        callOf(
          { id, key, endpoint: path, bodyBytes, receivedAt, startedAt, memory: held },
          request.headers,
        )
      await using start = new EarlyStart(transcribing)
      const onArriving = (arriving: ArrivingFile): void =>
        start.begin({ arriving, task, call: () => callOfBytes(arriving.bytes), request })
      const form = await readForm(request, spool, FILES, { memory: held, pace, onArriving })
      waitLong()
      const close = (): void => closeLater(form, id, events)
      const { wish, begun } = await closing(close, async () => {
        const wanted = await wishOfForm(form, task)
        return { wish: wanted, begun: await start.take(wanted) }
      })
      if (start.wasDropped) id = newRequestId()
      const first = callOfBytes(form.bytes)
      const call = start.wasDropped ? counted(first) : first
      const answer = await transcribing.transcribe({ call, request: wish, begun }, request, close)
      const ids = { "x-request-id": id, "request-id": id }
      return heldAnswer({ headers: { ...answer.headers, ...ids }, body: answer.body }, held)
    } catch (thrown) {
      memory?.[Symbol.dispose]()
      const error = asGatewayError(thrown)
      if (error.kind === "internal_error") services.events.requestFailed(id, thrown)
      return errorAnswer(error, id)
    }
  }
}

/** A call that has been counted as a request under another id already. */
function counted(call: Call): Call {
  return { ...call, key: { ...call.key, requestsPerMinute: undefined } }
}

async function wishOfForm(form: Form, task: TranscriptionTask): Promise<TranscriptionRequest> {
  const wish = decodeTranscription(form.parameters(TRANSCRIPTION_FIELDS), task)
  const [file] = form.files
  if (!file) throw missingParameter("file")
  return withAudio(wish, await readAudio(file))
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
