import { invalidValue } from "../../../canon/invalid-request.ts"
import { jsonCall } from "../../../canon/operation-response.ts"
import {
  PCM_RATE,
  SOUND_FORMS,
  type SoundForm,
  type SpeechFormat,
  voiceName,
} from "../../../canon/speech.ts"
import { formToAsk, lossesOf } from "./audio-format.ts"

/** The query that requests each format (developers.deepgram.com, "Media Output Settings"). */
const OUTPUTS: Readonly<Record<SoundForm, string>> = {
  mp3: "encoding=mp3",
  opus: "encoding=opus&container=ogg",
  aac: "encoding=aac",
  flac: "encoding=flac",
  wav: `encoding=linear16&container=wav&sample_rate=${PCM_RATE}`,
  pcm: `encoding=linear16&container=none&sample_rate=${PCM_RATE}`,
}

/**
 * Creates the format of Deepgram's `POST /v1/speak` (docs/contribute/wire/speech.md#f5). Deepgram treats a voice as a
 * model. `aura-2-thalia-en` is complete, and `aura-2` needs a voice by its full or short name.
 * @param decodeError reads the vendor's errors.
 */
export function deepgramSpeech(decodeError: SpeechFormat["decodeError"]): SpeechFormat {
  return {
    encode(request, model) {
      const form = formToAsk(request.form, SOUND_FORMS)
      const path = `/v1/speak?model=${encodeURIComponent(voiceModel(model, voiceName(request)))}`
      return {
        call: jsonCall(`${path}&${OUTPUTS[form]}`, { text: request.input }),
        form,
        delivery: { type: "sound" },
        losses: lossesOf(request, new Set()),
      }
    },
    decodeError,
  }
}

/** @throws GatewayError `invalid_value` for a voice of another model, which has a different price. */
function voiceModel(model: string, voice: string): string {
  if (voice.startsWith("aura-")) {
    if (familyOf(voice) === familyOf(model)) return voice
    throw invalidValue(
      "voice",
      `Invalid 'voice': '${voice.slice(0, 64)}' is a voice of the model '${familyOf(voice)}'. Send a voice of '${familyOf(model)}', or request the other model.`,
    )
  }
  return /^aura-\d+$/.test(model) ? `${model}-${voice}-en` : model
}

/** Returns the model to which a voice belongs: `aura-2` for `aura-2-thalia-en`, `aura` for `aura-asteria-en`. */
function familyOf(name: string): string {
  return /^aura-\d+(?=-|$)/.exec(name)?.[0] ?? "aura"
}
