import type { Loss } from "../../../canon/extra.ts"
import { jsonOf } from "../../../canon/operation-response.ts"
import type { TranscriptionFormat } from "../../../canon/transcription.ts"
import type { OutgoingField } from "../../../wire/encode-form.ts"
import { audioForm, formCall, lossesOf, rejectTranslation, transcriptText } from "./fields.ts"

/** The default language. Cohere requires a language and does not detect it. */
const ASSUMED_LANGUAGE = "en"

/**
 * Creates the format of Cohere's `POST /v2/audio/transcriptions`
 * (docs.cohere.com/reference/create-audio-transcription). It returns only the text, without times and usage. The fields
 * must precede the file.
 * @param decodeError reads the vendor's errors.
 */
export function cohereTranscription(
  decodeError: TranscriptionFormat["decodeError"],
): TranscriptionFormat {
  return {
    translates: () => false,
    encode(request, model) {
      rejectTranslation(request.task)
      const { language, temperature } = request
      const fields: OutgoingField[] = [
        ["model", model],
        ["language", language ?? ASSUMED_LANGUAGE],
      ]
      if (temperature !== undefined) fields.push(["temperature", String(temperature)])
      const own: Loss[] =
        language === undefined ? [{ name: "language", effect: "approximated" }] : []
      const losses = lossesOf(request, new Set(["language", "temperature"]), own)
      return { calls: [formCall("/v2/audio/transcriptions", audioForm(fields, request))], losses }
    },
    decode(response, { language }) {
      // Cohere's text starts with a space.
      const text = transcriptText(jsonOf(response)).trim()
      // The default language is not reported, because the language of the text is not known.
      return { text, ...(language !== undefined && { language }), usage: {} }
    },
    decodeError,
  }
}
