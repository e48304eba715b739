import { checkEntries } from "../../../canon/response-limits.ts"
import { isJsonObject, type JsonObject, listAt, objectAt, textAt } from "../../../canon/json.ts"
import { jsonCall, unusable } from "../../../canon/operation-response.ts"
import { quantityOf } from "../../../canon/quantity.ts"
import { PCM_RATE, type SpeechFormat, type Spoken, voiceName } from "../../../canon/speech.ts"
import { NO_USAGE, type Usage } from "../../../canon/usage.ts"
import { setDefined } from "../../shared/fields.ts"
import { formToAsk, lossesOf } from "./audio-format.ts"

/**
 * Creates the format of Gemini's speech models. Their `generateContent` returns audio as raw samples in JSON
 * (docs/contribute/wire/speech.md#f4). Instructions on how to speak precede the text, as in Google's guide.
 * @param decodeError reads the vendor's errors.
 * @param parent the path before `/models`.
 */
export function geminiSpeech(
  decodeError: SpeechFormat["decodeError"],
  parent: string,
): SpeechFormat {
  return {
    readsDirections: true,
    encode(request, model) {
      const form = formToAsk(request.form, ["pcm"])
      const { input, instructions, maxOutput } = request
      const text = instructions === undefined ? input : `${instructions}:\n${input}`
      const losses = lossesOf(request, new Set(["instructions"]))
      if (instructions !== undefined) losses.push({ name: "instructions", effect: "approximated" })
      const voice = { prebuiltVoiceConfig: { voiceName: voiceName(request) } }
      const generationConfig: JsonObject = {
        responseModalities: ["AUDIO"],
        speechConfig: { voiceConfig: voice },
      }
      setDefined(generationConfig, "maxOutputTokens", maxOutput)
      const body = {
        contents: [{ role: "user", parts: [{ text }] }],
        generationConfig,
      }
      return {
        call: jsonCall(`${parent}/models/${encodeURIComponent(model)}:generateContent`, body),
        form,
        delivery: { type: "json", read },
        losses,
      }
    },
    usageIn: (members) => usageOf(objectAt(members, "usageMetadata")),
    decodeError,
  }
}

function read(body: JsonObject): Spoken {
  const [candidate] = listAt(body, "candidates")
  const content = isJsonObject(candidate) ? objectAt(candidate, "content") : undefined
  const chunks: Buffer[] = []
  let rate = PCM_RATE
  const parts = listAt(content ?? {}, "parts")
  checkEntries("parts", parts.length)
  for (const part of parts) {
    const inline = isJsonObject(part) ? objectAt(part, "inlineData") : undefined
    if (!inline) continue
    chunks.push(Buffer.from(textAt(inline, "data") ?? "", "base64"))
    rate = Number(/rate=(\d+)/.exec(textAt(inline, "mimeType") ?? "")?.[1] ?? rate)
  }
  if (chunks.length === 0) throw unusable("it contains no audio")
  const usage = usageOf(objectAt(body, "usageMetadata"))
  return {
    sound: new Uint8Array(Buffer.concat(chunks)),
    rate,
    ...(usage === undefined ? {} : { usage }),
  }
}

/**
 * Returns the usage. The model registry prices the tokens of speech models as `output`, which also applies to
 * `audioOutput`.
 */
function usageOf(usage: JsonObject | undefined): Usage | undefined {
  const input = quantityOf(usage?.promptTokenCount)
  const output = quantityOf(usage?.candidatesTokenCount)
  if (input === undefined || output === undefined) return undefined
  return { ...NO_USAGE, inputFresh: input, audioOutput: output }
}
