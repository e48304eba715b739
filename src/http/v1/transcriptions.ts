import { GatewayError } from "../../canon/errors.ts"
import { IncompleteFile } from "../../canon/form-file.ts"
import { missingParameter } from "../../canon/invalid-request.ts"
import type { TranscriptionRequest, TranscriptionTask } from "../../canon/transcription.ts"
import {
  decodeTranscription,
  TRANSCRIPTION_FIELDS,
  withAudio,
} from "../../dialects/transcription/request.ts"
import { readAudio, readAudioHead } from "../../media/audio-file.ts"
import type { Transcription } from "../../relay/operations/transcription/transcription.ts"
import type { Transcribing } from "../../relay/operations/transcription/transcriptions.ts"
import type { Events } from "../../telemetry/events.ts"
import { serve } from "../endpoint.ts"
import type { Form, UploadInProgress } from "../uploads/read-form.ts"
import type { Route } from "../server.ts"
import { callOf, type Calls } from "./calls.ts"

/** `POST /v1/audio/transcriptions` */
export const TRANSCRIPTIONS_PATH = "/v1/audio/transcriptions"
/** `POST /v1/audio/translations` */
export const TRANSLATIONS_PATH = "/v1/audio/translations"

/** One file of at most 25 MB (SPEC, Limits). */
const FILES = { file: { count: 1, bytes: 25 * 1024 * 1024 } }

/** Writes down what a sound says. */
export function transcriptions(calls: Calls, transcribing: Transcribing): Route {
  return fromForm("transcribe", TRANSCRIPTIONS_PATH, calls, transcribing)
}

/** Writes down in English what a sound says. */
export function translations(calls: Calls, transcribing: Transcribing): Route {
  return fromForm("translate", TRANSLATIONS_PATH, calls, transcribing)
}

function fromForm(
  task: TranscriptionTask,
  path: string,
  calls: Calls,
  transcribing: Transcribing,
): Route {
  const { events } = calls
  return serve(
    {
      method: "POST",
      path,
      auth: calls.auth,
      body: calls.upload(FILES),
      async handle(asked, upload) {
        const { request, id, caller } = asked
        caller.memory.defer(() => closeLater(upload, id, events))
        using transcription = transcribing.prepare(callOf(asked, upload.bytes), request)
        try {
          await begin(transcription, upload, task)
        } catch (error) {
          // What is wrong with the request is told when it is complete.
          if (!isExpected(error)) events.requestFailed(id, error)
        }
        return await transcription.answer(await requestOf(await upload.completed, task))
      },
    },
    events,
  )
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
