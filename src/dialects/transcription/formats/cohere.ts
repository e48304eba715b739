import { jsonOf } from "../../../canon/operation-answer.ts"
import type { TranscriptionFormat } from "../../../canon/transcription.ts"
import type { OutgoingField } from "../../../wire/encode-form.ts"
import { audioForm, formCall, lossesOf, refuseTranslation, transcriptText } from "./fields.ts"

/** The default language: Cohere requires one and does not detect it. */
const ASSUMED_LANGUAGE = "en"

const TIMED: ReadonlySet<string> = new Set(["srt", "vtt", "verbose_json"])

/**
 * Cohere's `POST /v2/audio/transcriptions` (docs.cohere.com/reference/create-audio-transcription): only the
 * text, without times and usage; the fields precede the file.
 * @param decodeError reads the vendor's errors.
 */
export function cohereTranscription(
  decodeError: TranscriptionFormat["decodeError"],
): TranscriptionFormat {
  return {
    translates: () => false,
    encode(request, model) {
      refuseTranslation(request.task)
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
      // It starts with a space.
      const text = transcriptText(jsonOf(answer)).trim()
      // A language that was assumed is not one that the text is in.
      return { text, ...(language !== undefined && { language }), usage: {} }
    },
    decodeError,
  }
}
