import { textAt } from "../../../canon/json.ts"
import { jsonCall, unusable } from "../../../canon/operation-response.ts"
import { type SpeechFormat, voiceName } from "../../../canon/speech.ts"
import { formToAsk, lossesOf } from "./audio-format.ts"

/**
 * Creates the format of Mistral's `POST /audio/speech`, which returns the audio in JSON
 * (docs/contribute/wire/speech.md#f6). Mistral's pcm consists of 32-bit floats (docs.mistral.ai), so the gateway
 * converts Mistral's wav to pcm instead.
 * @param decodeError reads the vendor's errors.
 */
export function mistralSpeech(decodeError: SpeechFormat["decodeError"]): SpeechFormat {
  return {
    encode(request, model) {
      const form = formToAsk(request.form, ["mp3", "wav", "flac", "opus"])
      const body = {
        model,
        input: request.input,
        voice: voiceName(request),
        response_format: form,
      }
      return {
        call: jsonCall("/audio/speech", body),
        form,
        delivery: {
          type: "json",
          read(response) {
            const sound = textAt(response, "audio_data")
            if (sound === undefined) throw unusable("it contains no audio")
            return { sound: new Uint8Array(Buffer.from(sound, "base64")) }
          },
        },
        losses: lossesOf(request, new Set()),
      }
    },
    decodeError,
  }
}
