import type {
  Transcript,
  TranscriptionRequest,
  TranscriptTokens,
  TranscriptUsage,
} from "../../../canon/transcription.ts"
import { NO_USAGE, type Usage } from "../../../canon/usage.ts"
import { type Deployment, credentialIdOf, type Model } from "../../../catalog/model.ts"
import { possibleSeconds } from "../../../media/audio-file.ts"
import type { Price } from "../../../ledger/price.ts"
import type { CountedUsage } from "../../billing/priced-usage.ts"
import type { RuntimeConfig } from "../../request/runtime-config.ts"
import { roughTokens } from "../../tokens/rough-tokens.ts"
import { maxTextTokens } from "../../../canon/text-bytes.ts"
import type { OperationCandidate } from "../operation-candidate.ts"
import type { UsageLimits } from "../operation-plan.ts"

/**
 * Maximum tokens of a second of audio, which Gemini counts. In recordings, OpenAI counts 10 (see
 * media/audio-tokens.ts).
 */
const MAX_TOKENS_PER_SECOND = 32
const TYPICAL_TOKENS_PER_SECOND = 10
const GEMINI = /gemini/i
/**
 * Output tokens for a second of audio: 39, as recorded with diarizing models, and a margin for the tokens around the
 * text.
 */
const MAX_OUTPUT_PER_SECOND = 40
/** Tokens of output for reasoning. */
const REASONING = 2_048
/** Tokens of input that a vendor may add to the prompt. */
const FRAME = 256
const NO_TOKENS: TranscriptTokens = { text: 0, audio: 0, output: 0 }

function isByTokens({ rates }: Price): boolean {
  return rates.seconds === undefined
}

/**
 * Returns the request with the output limit that is sent to vendors. Both the prompt and the audio can ask a model for
 * more text than is spoken.
 */
export function withOutputLimit(
  request: TranscriptionRequest,
  { maxOutput = Infinity }: Model,
): TranscriptionRequest {
  return { ...request, maxOutput: Math.min(outputOfSeconds(request.audio.maxSeconds), maxOutput) }
}

function outputOfSeconds(seconds: number): number {
  return Math.ceil(seconds) * MAX_OUTPUT_PER_SECOND + REASONING
}

/**
 * Returns the usage bounds of a transcription. The hold follows the measured length. Headers can understate it, so the
 * reported length is charged up to the maximum for a file of this size. The output is held up to the limit that is
 * sent, or up to the model's maximum if a vendor accepts no limit.
 */
export function transcriptionLimits(
  request: TranscriptionRequest,
  model: Model,
  clients: RuntimeConfig["clients"],
): UsageLimits {
  const { audio } = request
  const worst = inputOfSeconds(audio.maxSeconds, request)
  const max = inputOfSeconds(possibleSeconds(audio), request)
  const ofTokens = model.deployments.filter(({ price }) => price && isByTokens(price))
  if (ofTokens.length === 0) {
    return {
      worst: { ...NO_USAGE, seconds: worst.seconds },
      max: { ...NO_USAGE, seconds: max.seconds },
    }
  }
  const isLimited = ofTokens.every((deployment) => {
    const { vendor } = clients.get(credentialIdOf(deployment)) ?? {}
    return vendor?.operations?.transcription?.limitsOutput === true
  })
  const longest = model.maxOutput ?? outputOfSeconds(possibleSeconds(audio))
  const limit = isLimited ? withOutputLimit(request, model).maxOutput : undefined
  return {
    worst: { ...worst, output: limit ?? longest },
    max: { ...max, output: longest },
  }
}

function inputOfSeconds(length: number, { prompt = "" }: TranscriptionRequest): Usage {
  const seconds = Math.ceil(length)
  return {
    ...NO_USAGE,
    seconds,
    inputFresh: maxTextTokens(prompt) + FRAME,
    audioInput: seconds * MAX_TOKENS_PER_SECOND,
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
): CountedUsage {
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

/** Returns the usage if no text was read: the audio, and the reported tokens. */
export function unreadUsage(
  request: TranscriptionRequest,
  { deployment, unreadUsage: reported }: Pick<OperationCandidate, "deployment" | "unreadUsage">,
): Usage {
  const usage = reported === undefined ? {} : transcriptUsageOf(reported)
  return transcriptionUsage({ text: "", usage }, request, deployment).usage
}

function transcriptUsageOf(usage: Usage): TranscriptUsage {
  const { seconds, inputFresh: text, audioInput: audio, output, reasoning } = usage
  return { seconds, tokens: { text, audio, output, reasoning } }
}
