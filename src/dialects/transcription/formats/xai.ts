import { textAt } from "../../../canon/json.ts"
import { jsonOf } from "../../../canon/operation-response.ts"
import type { TranscriptionFormat } from "../../../canon/transcription.ts"
import type { OutgoingField } from "../../../wire/encode-form.ts"
import {
  audioForm,
  formCall,
  lossesOf,
  numberAt,
  rejectTranslation,
  segmentsOfWords,
  timedTranscript,
  transcriptText,
  wordsAt,
} from "./fields.ts"

/**
 * Creates the format of xAI's `POST /stt` (docs/contribute/wire/transcription.md#f7). Its form contains no model, and
 * its response contains words with their times.
 * @param decodeError reads the vendor's errors.
 */
export function xaiTranscription(
  decodeError: TranscriptionFormat["decodeError"],
): TranscriptionFormat {
  return {
    translates: () => false,
    encode(request) {
      rejectTranslation(request.task)
      const { language } = request
      const fields: OutgoingField[] = language === undefined ? [] : [["language", language]]
      const losses = lossesOf(request, new Set(["language", "timestamps"]))
      return { calls: [formCall("/stt", audioForm(fields, request))], losses }
    },
    decode(response) {
      const body = jsonOf(response)
      const words = wordsAt(body, "words", "text")
      return timedTranscript({
        text: transcriptText(body),
        language: textAt(body, "language"),
        duration: numberAt(body, "duration"),
        segments: segmentsOfWords(words),
        words,
      })
    },
    decodeError,
  }
}
