import { asChargedError } from "../../../canon/errors.ts"
import type { SoundForm } from "../../../canon/speech.ts"
import type { Usage } from "../../../canon/usage.ts"
import { doneEvent, soundEvent } from "../../../dialects/speech/stream.ts"
import type { Answer, Call } from "../../pipeline/call.ts"
import { CallEnded } from "../../pipeline/end-reason.ts"
import {
  chargedBody,
  type Chunks,
  type Endings,
  errorEvent,
  EVENT_STREAM_HEADERS,
  keepLastChunk,
} from "../charged-body.ts"
import type { OpenOperation } from "../open-operation.ts"
import { type SpeechEnding, speechUsage } from "./speech-usage.ts"
import type { SpeechReceived } from "./synthesize.ts"

const CONTENT_TYPES: Readonly<Record<SoundForm, string>> = {
  mp3: "audio/mpeg",
  opus: "audio/ogg",
  aac: "audio/aac",
  flac: "audio/flac",
  wav: "audio/wav",
  pcm: "audio/pcm",
}

/** The sound as the caller gets it, as it comes; its end goes out once it is paid for. */
export function answerSpeech(open: OpenOperation<SpeechReceived>, call: Call): Answer {
  const { value, headers, deployment } = open
  const { request, form, received, attempt } = value
  const settle = async (ending: SpeechEnding): Promise<Usage> => {
    const { bytes, announced, usage: reported } = received
    const amount = { request, form, bytes, announced, ending, reported }
    const { usage, estimated } = speechUsage(amount, deployment.price)
    await open.settle(usage, estimated)
    return usage
  }
  const endings: Endings = {
    async whole() {
      const usage = await settle("whole")
      return request.events ? doneEvent(usage) : undefined
    },
    async broken(error) {
      const failure = asChargedError(attempt.fail(error))
      await settle("broken")
      return request.events ? errorEvent(failure, call.id) : undefined
    },
    async left() {
      attempt.fail(new CallEnded("caller_left"))
      await settle("left")
    },
  }
  Object.assign(
    headers,
    request.events ? EVENT_STREAM_HEADERS : { "content-type": CONTENT_TYPES[request.form] },
  )
  const chunks = request.events ? inEvents(value.chunks) : keepLastChunk(value.chunks)
  return { headers, body: chargedBody(chunks, endings, call.memory) }
}

async function* inEvents(chunks: AsyncIterable<Uint8Array>): Chunks {
  for await (const chunk of chunks) yield soundEvent(chunk)
  return undefined
}
