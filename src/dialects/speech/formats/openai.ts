import type { JsonObject } from "../../../canon/json.ts"
import { jsonCall } from "../../../canon/operation-response.ts"
import {
  SOUND_FORMS,
  type SoundForm,
  type SpeechFormat,
  type SpeechRequest,
} from "../../../canon/speech.ts"
import { formToAsk } from "./audio-format.ts"

/** Differences between a vendor's API and OpenAI's. */
export interface OpenAiSpeechQuirks {
  readonly forms: readonly SoundForm[]
  /** Returns whether a model reports its tokens, which is only possible in events. */
  readonly reportsTokens: (model: string) => boolean
}

const PLAIN: OpenAiSpeechQuirks = { forms: SOUND_FORMS, reportsTokens: () => false }

/** The quirks of OpenAI's own API. All but its oldest models send events (docs/contribute/wire/speech.md#f2). */
export const OPENAI_SPEECH: Partial<OpenAiSpeechQuirks> = {
  reportsTokens: (model) => !/^tts-1/i.test(model),
}

/**
 * Creates the format of OpenAI's `POST /audio/speech`.
 * @param decodeError reads the vendor's errors.
 */
export function openAiSpeech(
  decodeError: SpeechFormat["decodeError"],
  quirks: Partial<OpenAiSpeechQuirks> = {},
): SpeechFormat {
  const { forms, reportsTokens } = { ...PLAIN, ...quirks }
  return {
    encode(request, model) {
      const form = formToAsk(request.form, forms)
      const type = request.needsTokens && reportsTokens(model) ? "events" : "sound"
      const body = bodyOf(request, model, form)
      if (type === "events") body["stream_format"] = "sse"
      return { call: jsonCall("/audio/speech", body), form, delivery: { type }, losses: [] }
    },
    decodeError,
  }
}

function bodyOf(request: SpeechRequest, model: string, form: SoundForm): JsonObject {
  const { input, voice, speed, instructions, extra } = request
  return {
    ...extra,
    model,
    input,
    voice: typeof voice === "string" ? voice : { id: voice.id },
    response_format: form,
    ...(speed === undefined ? {} : { speed }),
    ...(instructions === undefined ? {} : { instructions }),
  }
}
