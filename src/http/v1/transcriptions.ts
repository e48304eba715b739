import { GatewayError } from "../../canon/errors.ts"
import { missingParameter } from "../../canon/invalid-request.ts"
import type { TranscriptionRequest, TranscriptionTask } from "../../canon/transcription.ts"
import {
  decodeTranscription,
  TRANSCRIPTION_FIELDS,
  withAudio,
} from "../../dialects/transcription/request.ts"
import { readAudio, readAudioHead } from "../../media/audio-file.ts"
import type { Transcription } from "../../relay/operations/transcription/transcription.ts"
import type { Route } from "../server.ts"
import type { Form } from "../uploads/form-reader.ts"
import type { UploadInProgress } from "../uploads/read-form.ts"
import { IncompleteFile } from "../uploads/spooled-bytes.ts"
import { callOf, type Calls, FORM } from "./calls.ts"
import { readDescribedAudio, withoutFiles } from "./estimate-files.ts"
import type { OperationEndpoint, OperationParts } from "./operation-endpoint.ts"

/** Each form has one file of at most 25 MB. */
const FILES = { file: { count: 1, bytes: 25 * 1024 * 1024 } }

/** Transcribes an audio file. */
export const TRANSCRIPTIONS = endpointOf("transcribe", "/v1/audio/transcriptions")

/** Transcribes an audio file into English. */
export const TRANSLATIONS = endpointOf("translate", "/v1/audio/translations")

function endpointOf(task: TranscriptionTask, path: OperationEndpoint["path"]): OperationEndpoint {
  return {
    path,
    serve: (calls, parts) => routeOf({ task, path }, calls, parts),
    plan({ call, body }, { performers }) {
      const options = decodeTranscription(withoutFiles(body, "file"), task)
      const request = withAudio(options, readDescribedAudio(body["file"]))
      return performers.transcription.plan(call, request)
    },
  }
}

function routeOf(
  { task, path }: { readonly task: TranscriptionTask; readonly path: string },
  calls: Calls,
  { performers, inspector }: OperationParts,
): Route {
  return calls.run({
    path,
    body: calls.upload(FILES, "transcription"),
    async handle(context, upload) {
      const call = callOf(context, upload.bytes, FORM)
      using transcription = performers.transcription.prepare(call, context.request)
      try {
        await begin(transcription, upload, task)
      } catch (error) {
        // Errors of the request are reported later, when the form is complete.
        if (!isExpected(error)) calls.events.requestFailed(context.id, error)
      }
      const request = await requestOf(await upload.completed, task, (file) =>
        inspector.duration(file, call.key.account),
      )
      return await transcription.respond(request)
    },
  })
}

/** Begins a transcription while its file is still arriving, if all required fields precede the file. */
async function begin(
  transcription: Transcription,
  { fields, file }: UploadInProgress,
  task: TranscriptionTask,
): Promise<void> {
  if (!file) return
  const wanted = decodeTranscription(fields.parameters(TRANSCRIPTION_FIELDS), task)
  const head = await readAudioHead(file)
  // The real duration is unknown until the file is complete.
  await transcription.begin(withAudio(wanted, { ...head, seconds: head.maxSeconds }))
}

function isExpected(error: unknown): boolean {
  return error instanceof GatewayError || error instanceof IncompleteFile
}

async function requestOf(
  { fields, files: [file] }: Form,
  task: TranscriptionTask,
  durationOf: Parameters<typeof readAudio>[1],
): Promise<TranscriptionRequest> {
  const wanted = decodeTranscription(fields.parameters(TRANSCRIPTION_FIELDS), task)
  if (!file) throw missingParameter("file")
  return withAudio(wanted, await readAudio(file, durationOf))
}
