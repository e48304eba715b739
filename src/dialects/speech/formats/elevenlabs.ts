import { isJsonObject, textAt } from "../../../canon/json.ts"
import { jsonCall } from "../../../canon/operation-response.ts"
import { quantityOf } from "../../../canon/quantity.ts"
import { type SoundForm, type SpeechFormat, voiceName } from "../../../canon/speech.ts"
import { vendorRejection } from "../../../canon/vendor-error.ts"
import { defined } from "../../shared/fields.ts"
import { formToAsk, lossesOf } from "./audio-format.ts"

/** The value that requests each format (elevenlabs.io, "Create speech", `output_format`). */
const OUTPUTS: Partial<Record<SoundForm, string>> = {
  mp3: "mp3_44100_128",
  opus: "opus_48000_128",
  pcm: "pcm_24000",
}

/** Matches models whose characters cost half a credit (elevenlabs.io/docs/overview/models). */
const HALF_PRICED = /flash|turbo|conversational/

/** The format of ElevenLabs' `POST /v1/text-to-speech/{voice}` (docs/contribute/wire/speech.md#f3). */
export const ELEVENLABS_SPEECH: SpeechFormat = {
  encode(request, model) {
    const form = formToAsk(request.form, ["mp3", "opus", "pcm"])
    const { input, speed } = request
    const path = `/v1/text-to-speech/${encodeURIComponent(voiceName(request))}`
    const body = {
      text: input,
      model_id: model,
      ...(speed === undefined ? {} : { voice_settings: { speed } }),
    }
    return {
      call: jsonCall(`${path}?output_format=${OUTPUTS[form] ?? ""}`, body),
      form,
      delivery: { type: "sound" },
      losses: lossesOf(request, new Set(["speed"])),
    }
  },
  billedCharacters(headers, model) {
    const credits = quantityOf(headers.get("character-cost"))
    return credits === undefined || !HALF_PRICED.test(model) ? credits : credits * 2
  },
  decodeError: elevenLabsError,
}

/**
 * Decodes `{detail: {status, message}}`, or a list of the invalid fields in `detail`
 * (docs/contribute/wire/speech.md#f3).
 */
function elevenLabsError(status: number, body: unknown) {
  const detail = isJsonObject(body) ? body.detail : undefined
  if (typeof detail === "string") return vendorRejection(status, { message: detail })
  if (Array.isArray(detail)) return vendorRejection(status, { message: JSON.stringify(detail) })
  if (!isJsonObject(detail)) return vendorRejection(status, {})
  const message = textAt(detail, "message")
  const code = textAt(detail, "status")
  return vendorRejection(status, defined({ message, code }))
}
