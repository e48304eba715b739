import type { Ending } from "../charged-body.ts"
import { characterCount, type SoundForm, type SpeechRequest } from "../../../canon/speech.ts"
import { NO_USAGE, totalInput, totalOutput, type Usage } from "../../../canon/usage.ts"
import type { Model } from "../../../catalog/model.ts"
import type { Price } from "../../../ledger/price.ts"
import type { CountedUsage } from "../../billing/priced-usage.ts"
import { BYTES_PER_SECOND, TOKENS_PER_SECOND } from "../../../media/generated-audio-tokens.ts"
import { roughTokens } from "../../tokens/rough-tokens.ts"
import { maxTextTokens } from "../../../canon/text-bytes.ts"
import type { UsageLimits } from "../operation-plan.ts"

/** Maximum seconds per character at normal speed. A digit can be spoken as a long word. */
const SLOWEST_CHARACTER = 0.5
/** Seconds of silence before and after the speech. */
const SILENCE = 5

/**
 * Maximum audio tokens assumed for a model with an unknown maximum. It is the maximum of Gemini's models, eleven
 * minutes.
 */
const UNKNOWN_MAX_OUTPUT = 16_384
/** Tokens that a vendor may add to the text. */
const WRAPPING = 64

/** Maximum rate of a voice that is charged. No maximum is documented. */
const MAX_VOICE_RATE = 10

/** Whether a price is per token instead of per character or second. */
export function isByTokens({ rates }: Price): boolean {
  return rates.characters === undefined && rates.seconds === undefined
}

/**
 * Returns the maximum usage of a text. A model that follows instructions on how to speak may pause for minutes. The
 * length of the text therefore bounds the audio only without instructions.
 * @param isDirected whether the request has instructions, or its text may contain some.
 * @param hasVoiceRates whether the vendor may bill more characters than the text has.
 */
export function speechLimits(
  request: Omit<SpeechRequest, "needsTokens">,
  model: Model,
  isDirected: boolean,
  hasVoiceRates: boolean,
): UsageLimits {
  const { input, instructions = "", speed = 1 } = request
  const characters = characterCount(input)
  const seconds = Math.ceil((characters * SLOWEST_CHARACTER) / Math.min(1, speed) + SILENCE)
  const usage = { ...NO_USAGE, characters, seconds }
  const charged = hasVoiceRates ? characters * MAX_VOICE_RATE : characters
  if (!model.deployments.some(({ price }) => price && isByTokens(price))) {
    return { worst: usage, ...(hasVoiceRates && { max: { ...usage, characters: charged } }) }
  }
  const typical = seconds * TOKENS_PER_SECOND
  const longest = model.maxOutput ?? Math.max(typical, UNKNOWN_MAX_OUTPUT)
  const inputFresh = maxTextTokens(input) + maxTextTokens(instructions)
  const audioOutput = isDirected ? longest : Math.min(typical, longest)
  return {
    worst: { ...usage, inputFresh, audioOutput },
    max: {
      ...usage,
      characters: charged,
      inputFresh: inputFresh + WRAPPING,
      audioOutput: longest,
    },
  }
}

/** Typical characters per second. */
const TYPICAL_PACE = 15

/** The delivered audio. */
export interface SpokenAmount {
  readonly request: SpeechRequest
  /** The format of the delivered audio. */
  readonly form: SoundForm
  readonly bytes: number
  /** Bytes of the complete audio, if the vendor announced them. */
  readonly announced: number | undefined
  readonly ending: Ending
  /** The vendor's own count. */
  readonly reported: Usage | undefined
  /** The characters that the vendor bills, if it reports them. */
  readonly billedCharacters?: number | undefined
}

/**
 * Returns the usage of a response. If the vendor breaks off, only the received audio is charged. Its characters are the
 * received share of the announced bytes, or the number of characters spoken in audio of that length. A caller that
 * disconnects pays for the whole text.
 */
export function speechUsage(amount: SpokenAmount, price: Price | undefined): CountedUsage {
  const { request, form, bytes, announced, ending, reported } = amount
  const characters = characterCount(request.input)
  // A report below the text's length is a discount of the provider's plan, which the price does not include.
  const billed = Math.max(characters, amount.billedCharacters ?? 0)
  const received = bytes / BYTES_PER_SECOND[form]
  const pace = TYPICAL_PACE * (request.speed ?? 1)
  const seconds = ending === "left" ? Math.max(received, characters / pace) : received
  const share = announced === undefined ? (received * pace) / characters : bytes / announced
  const spoken = ending === "broken" ? Math.min(billed, Math.ceil(billed * share)) : billed
  const isWhole = ending === "whole"
  const usage = { ...NO_USAGE, ...reported, characters: spoken, seconds }
  if (price === undefined || !isByTokens(price)) {
    return { usage, estimated: !isWhole || price?.rates.characters === undefined }
  }
  const lacksInput = !isWhole || totalInput(usage) === 0
  const lacksOutput = !isWhole || totalOutput(usage) === 0
  return {
    usage: {
      ...usage,
      ...(lacksInput && { inputFresh: inputTokens(request) }),
      ...(lacksOutput && { audioOutput: Math.ceil(seconds * TOKENS_PER_SECOND) }),
    },
    estimated: lacksInput || lacksOutput,
  }
}

/**
 * Returns the usage if no audio was read: the text, and the reported tokens.
 * @param reported the vendor's own count.
 */
export function unreadUsage(
  request: Pick<SpeechRequest, "input" | "instructions">,
  reported: Usage = NO_USAGE,
): Usage {
  const inputFresh = reported.inputFresh || inputTokens(request)
  return { ...reported, characters: characterCount(request.input), inputFresh }
}

/** Returns the estimated tokens of the text and of the instructions, which are also billed as text. */
function inputTokens({
  input,
  instructions = "",
}: Pick<SpeechRequest, "input" | "instructions">): number {
  return roughTokens(Buffer.byteLength(input) + Buffer.byteLength(instructions))
}
