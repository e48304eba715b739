import { jsonCall } from "../../../canon/operation-response.ts"
import { PCM_RATE, type SpeechFormat, voiceName } from "../../../canon/speech.ts"
import { formToAsk, lossesOf } from "./audio-format.ts"

/**
 * Creates the format of xAI's `POST /tts`, whose body contains no model (docs/contribute/wire/speech.md#f6; docs.x.ai,
 * text to speech).
 * @param decodeError reads the vendor's errors.
 */
export function xaiSpeech(decodeError: SpeechFormat["decodeError"]): SpeechFormat {
  return {
    encode(request) {
      const form = formToAsk(request.form, ["mp3", "wav", "pcm"])
      const body = {
        text: request.input,
        voice_id: voiceName(request),
        language: "auto",
        output_format: { codec: form, sample_rate: PCM_RATE },
      }
      const losses = lossesOf(request, new Set())
      return { call: jsonCall("/tts", body), form, delivery: { type: "sound" }, losses }
    },
    decodeError,
  }
}
