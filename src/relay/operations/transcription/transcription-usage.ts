import type {
  Transcript,
  TranscriptionRequest,
  TranscriptTokens,
} from "../../../canon/transcription.ts"
import { NO_USAGE, type Usage } from "../../../canon/usage.ts"
import type { Deployment, Model } from "../../../catalog/model.ts"
import { possibleSeconds } from "../../../media/audio-file.ts"
import type { Price } from "../../../ledger/price.ts"
import { roughTokens } from "../../tokens/rough-tokens.ts"
import { maxTextTokens } from "../../../canon/text-bytes.ts"
import type { UsageLimits } from "../operation-plan.ts"

/**
 * Maximum tokens of a second of audio, which Gemini counts. OpenAI was recorded to count 10 (see
 * media/audio-tokens.ts).
 */
const MAX_TOKENS_PER_SECOND = 32
const TYPICAL_TOKENS_PER_SECOND = 10
const GEMINI = /gemini/i
/** Output tokens for a second of audio: the diarizing models' recorded 39, and some for the wrapping. */
const MAX_OUTPUT_PER_SECOND = 40
const FRAME = 256
const NO_TOKENS: TranscriptTokens = { text: 0, audio: 0, output: 0 }

function isByTokens({ rates }: Price): boolean {
  return rates.seconds === undefined
}

/**
 * Returns the usage bounds of a transcription. The hold is based on the measured duration. A file's headers can
 * understate the duration, so the reported duration is charged, up to the maximum for a file of this size. Reasoning of
 * the model is charged as well.
 */
export function transcriptionLimits(request: TranscriptionRequest, model: Model): UsageLimits {
  const { audio } = request
  const worst = usageOfSeconds(audio.maxSeconds, request, model)
  const max = usageOfSeconds(possibleSeconds(audio), request, model)
  if (worst.output === 0) return { worst, max }
  return { worst, max: { ...max, output: model.maxOutput ?? max.output } }
}

function usageOfSeconds(
  length: number,
  { prompt = "" }: TranscriptionRequest,
  { deployments, maxOutput = Infinity }: Model,
): Usage {
  const seconds = Math.ceil(length)
  const usage = { ...NO_USAGE, seconds }
  if (!deployments.some(({ price }) => price && isByTokens(price))) return usage
  return {
    ...usage,
    inputFresh: maxTextTokens(prompt) + FRAME,
    audioInput: seconds * MAX_TOKENS_PER_SECOND,
    output: Math.min(seconds * MAX_OUTPUT_PER_SECOND + FRAME, maxOutput),
  }
}

/**
 * Returns the usage, and whether the gateway counted any part of it. The vendor's report takes precedence over the
 * duration of the file, unless the report is zero. Not every vendor counts audio separately from other input.
 */
export function transcriptionUsage(
  { text, usage: reported, duration }: Pick<Transcript, "text" | "usage" | "duration">,
  { audio }: TranscriptionRequest,
  { price, upstreamModel }: Pick<Deployment, "price" | "upstreamModel">,
): { readonly usage: Usage; readonly estimated: boolean } {
  const counted = [reported.seconds, duration].find(
    (seconds) => seconds !== undefined && seconds > 0,
  )
  const seconds = counted ?? audio.seconds
  const { tokens = NO_TOKENS } = reported
  const usage = {
    ...NO_USAGE,
    seconds,
    inputFresh: tokens.text,
    audioInput: tokens.audio,
    output: tokens.output,
  }
  if (price === undefined || !isByTokens(price)) return { usage, estimated: counted === undefined }
  const rate = GEMINI.test(upstreamModel) ? MAX_TOKENS_PER_SECOND : TYPICAL_TOKENS_PER_SECOND
  const audioInput = Math.ceil(seconds * rate)
  const { reasoning = 0 } = tokens
  const output = roughTokens(Buffer.byteLength(text))
  const lacksAudio = tokens.audio === 0 && tokens.text < audioInput / 4
  const lacksOutput = tokens.output <= reasoning && output > 0
  return {
    usage: {
      ...usage,
      ...(lacksAudio && { audioInput }),
      ...(lacksOutput && { output: output + reasoning }),
    },
    estimated: lacksAudio || lacksOutput,
  }
}

/** Returns the usage if the caller disconnected before any text arrived, which is the audio. */
export function unreadUsage(request: TranscriptionRequest, deployment: Deployment): Usage {
  return transcriptionUsage({ text: "", usage: {} }, request, deployment).usage
}
