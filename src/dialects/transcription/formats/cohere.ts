import { jsonOf } from "../../../canon/operation-answer.ts"
import type { TranscriptionFormat } from "../../../canon/transcription.ts"
import type { OutgoingField } from "../../../wire/encode-form.ts"
import { audioForm, formCall, lossesOf, rejectTranslation, transcriptText } from "./fields.ts"

/** The default language. Cohere requires a language and does not detect it. */
const ASSUMED_LANGUAGE = "en"

const TIMED: ReadonlySet<string> = new Set(["srt", "vtt", "verbose_json"])

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
      const { language, temperature, form, stream } = request
      const fields: OutgoingField[] = [
        ["model", model],
        ["language", language ?? ASSUMED_LANGUAGE],
      ]
      if (temperature !== undefined) fields.push(["temperature", String(temperature)])
      const losses = lossesOf(request, new Set(["language", "temperature"]))
      if (language === undefined) losses.push({ name: "language", effect: "approximated" })
      if (TIMED.has(form)) losses.push({ name: "timestamps", effect: "approximated" })
      if (stream) losses.push({ name: "stream", effect: "approximated" })
      if (form === "diarized_json") losses.push({ name: "speakers", effect: "dropped" })
      return { calls: [formCall("/v2/audio/transcriptions", audioForm(fields, request))], losses }
    },
    decode(answer, { language }) {
      // Cohere's text starts with a space.
      const text = transcriptText(jsonOf(answer)).trim()
      // The default language is not reported, because the language of the text is not known.
      return { text, ...(language !== undefined && { language }), usage: {} }
    },
    decodeError,
  }
}
