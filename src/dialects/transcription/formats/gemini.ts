import { GatewayError } from "../../../canon/errors.ts"
import { fileTooLarge } from "../../../canon/form-file.ts"
import { isJsonObject, type JsonObject, listAt, objectAt, textAt } from "../../../canon/json.ts"
import { jsonCall, jsonOf, unusable } from "../../../canon/operation-response.ts"
import {
  type Transcript,
  type TranscriptionFormat,
  type TranscriptionRequest,
  usageOfTranscript,
} from "../../../canon/transcription.ts"
import { NO_USAGE, totalInput, totalOutput } from "../../../canon/usage.ts"
import { decodeGeminiUsage } from "../../shared/gemini-usage.ts"
import { defined } from "../../shared/fields.ts"
import { lossesOf, numberAt } from "./fields.ts"
import { languageName } from "../request.ts"

/**
 * Maximum bytes of audio. A request to the Gemini API may have 20 MB, and base64 has four characters for every three
 * bytes.
 */
const LARGEST = 14 * 1024 * 1024

/**
 * Creates the format of transcriptions with Gemini, which has no endpoint for them. A model with audio input is asked
 * to write down the spoken words (docs/contribute/wire/transcription.md#f8).
 * @param decodeError reads the vendor's errors.
 * @param parent the path before `/models`.
 */
export function geminiTranscription(
  decodeError: TranscriptionFormat["decodeError"],
  parent: string,
): TranscriptionFormat {
  return {
    translates: () => true,
    limitsOutput: true,
    async encode(request, model) {
      const { audio, temperature, maxOutput } = request
      if (audio.file.size > LARGEST) throw fileTooLarge(audio.file.field, LARGEST)
      const bytes = await audio.file.bytes(LARGEST)
      const sound = { mimeType: audio.mediaType, data: bytes.toBase64() }
      const losses = lossesOf(request, new Set(["language", "prompt", "temperature"]), [
        { name: "transcription", effect: "approximated" },
      ])
      const body: JsonObject = {
        contents: [
          { role: "user", parts: [{ inlineData: sound }, { text: instruction(request) }] },
        ],
        generationConfig: defined({ temperature: temperature ?? 0, maxOutputTokens: maxOutput }),
      }
      return {
        calls: [jsonCall(`${parent}/models/${encodeURIComponent(model)}:generateContent`, body)],
        losses,
      }
    },
    decode(response, request) {
      const body = jsonOf(response)
      const [candidate] = listAt(body, "candidates")
      if (!isJsonObject(candidate)) throw unusable("it contains no transcript")
      const parts = listAt(objectAt(candidate, "content") ?? {}, "parts")
      const text = parts
        .map((part) =>
          isJsonObject(part) && part.thought !== true ? (textAt(part, "text") ?? "") : "",
        )
        .join("")
        .trim()
      const usage = usageOf(objectAt(body, "usageMetadata"))
      if (text === "" && candidate.finishReason === "MAX_TOKENS") throw unwritten(usage, request)
      return { text, usage }
    },
    usageIn: (members) => usageOfTranscript(usageOf(objectAt(members, "usageMetadata"))),
    decodeError,
  }
}

function instruction({ task, language, prompt }: TranscriptionRequest): string {
  const what =
    task === "translate"
      ? "Translate the speech in this audio into English."
      : "Transcribe the speech in this audio verbatim, in the language that is spoken."
  const spoken = language === undefined ? "" : ` The language is ${languageName(language)}.`
  const context = prompt === undefined ? "" : `\nContext, for names and style only: ${prompt}`
  return `${what}${spoken} Answer with the text alone; with nothing when there is no speech.${context}`
}

/** Returns the error if a model has spent all of its output on reasoning, which its provider bills. */
function unwritten({ tokens }: Transcript["usage"], { audio }: TranscriptionRequest): GatewayError {
  const usage = tokens && {
    ...NO_USAGE,
    seconds: audio.seconds,
    inputFresh: tokens.text,
    audioInput: tokens.audio,
    output: tokens.output,
  }
  return new GatewayError(
    "upstream_error",
    "The model reached its output limit before it wrote a transcript. Its reasoning is charged. Send shorter audio, or use a model that reasons less.",
    { providerError: "generation", billedResponse: usage ? { usage } : {} },
  )
}

function usageOf(reported: JsonObject | undefined): Transcript["usage"] {
  if (!reported || numberAt(reported, "promptTokenCount") === undefined) return {}
  const usage = decodeGeminiUsage(reported) ?? NO_USAGE
  const audio = usage.audioInput + usage.audioCacheRead
  const text = totalInput(usage) - audio
  return { tokens: { text, audio, output: totalOutput(usage), reasoning: usage.reasoning } }
}
