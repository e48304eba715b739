import { afterCharge } from "../../../canon/errors.ts"
import type { Transcript, TranscriptionRequest } from "../../../canon/transcription.ts"
import { renderEvents, renderTranscript } from "../../../dialects/transcription/result.ts"
import type { Answer, Call } from "../../request/call.ts"
import { chargedBody, type BodyEnd, EVENT_STREAM_HEADERS } from "../charged-body.ts"
import type { TranscriptReceived } from "./transcribe.ts"
import { transcriptionUsage } from "./transcription-usage.ts"
import type { OpenOperation } from "../open-operation.ts"

/** Returns the response to a transcription. The request is charged before the end of the response is sent. */
export async function answerTranscription(
  open: OpenOperation<TranscriptReceived>,
  request: TranscriptionRequest,
  call: Call,
): Promise<Answer> {
  const { value, headers, deployment } = open
  if (value.type === "stream") {
    Object.assign(headers, EVENT_STREAM_HEADERS)
    return { headers, body: streamOf(open, value, { request, call }) }
  }
  const { transcript } = value
  const { usage, estimated } = transcriptionUsage(transcript, request, deployment)
  await open.settle(usage, estimated)
  return renderedAnswer(transcript, request, headers)
}

/** Returns a whole transcript in the requested format, after it was charged. */
export function renderedAnswer(
  transcript: Transcript,
  request: TranscriptionRequest,
  headers: Record<string, string>,
): Answer {
  return afterCharge(() => {
    if (request.stream) {
      Object.assign(headers, EVENT_STREAM_HEADERS)
      return { headers, body: renderEvents(transcript, request) }
    }
    const { contentType, body } = renderTranscript(transcript, request)
    headers["content-type"] = contentType
    return { headers, body }
  })
}

interface StreamFacts {
  readonly request: TranscriptionRequest
  readonly call: Call
}

function streamOf(
  open: OpenOperation<TranscriptReceived>,
  { answer, reader, chunks }: Extract<TranscriptReceived, { type: "stream" }>,
  { request, call }: StreamFacts,
): ReadableStream<Uint8Array> {
  const end = async (): Promise<BodyEnd> => {
    const { usage, estimated } = transcriptionUsage(reader, request, open.deployment)
    await open.settle(usage, estimated)
    return { isCharged: true }
  }
  return chargedBody({ attempt: answer.attempt, chunks, call, hasErrorEvents: true, end })
}
