import type { SoundForm } from "../../../canon/speech.ts"
import { doneEvent, audioEvent } from "../../../dialects/speech/stream.ts"
import type { Answer, Call } from "../../request/call.ts"
import {
  chargedBody,
  type Chunks,
  type BodyEnd,
  EVENT_STREAM_HEADERS,
  keepLastChunk,
} from "../charged-body.ts"
import type { Ending } from "../charged-body.ts"
import type { OpenOperation } from "../open-operation.ts"
import { speechUsage } from "./speech-usage.ts"
import type { SpeechReceived } from "./synthesize.ts"

const CONTENT_TYPES: Readonly<Record<SoundForm, string>> = {
  mp3: "audio/mpeg",
  opus: "audio/ogg",
  aac: "audio/aac",
  flac: "audio/flac",
  wav: "audio/wav",
  pcm: "audio/pcm",
}

/** Returns the audio in the form that the caller requested. Its end is sent once the request is charged. */
export function answerSpeech(open: OpenOperation<SpeechReceived>, call: Call): Answer {
  const { value, headers, deployment } = open
  const { request, form, received, attempt } = value
  const end = async (ending: Ending): Promise<BodyEnd> => {
    const { bytes, announced, usage: reported, billedCharacters } = received
    const amount = { request, form, bytes, announced, ending, reported, billedCharacters }
    const { usage, estimated } = speechUsage(amount, deployment.price)
    await open.settle(usage, estimated)
    return { isCharged: true, last: request.events ? doneEvent(usage) : undefined }
  }
  Object.assign(
    headers,
    request.events ? EVENT_STREAM_HEADERS : { "content-type": CONTENT_TYPES[request.form] },
  )
  const chunks = request.events ? inEvents(value.chunks) : keepLastChunk(value.chunks)
  const hasErrorEvents = request.events
  return { headers, body: chargedBody({ attempt, chunks, call, hasErrorEvents, end }) }
}

async function* inEvents(chunks: AsyncIterable<Uint8Array>): Chunks {
  for await (const chunk of chunks) yield audioEvent(chunk)
  return undefined
}
