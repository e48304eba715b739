import { isJsonObject, objectAt, textAt } from "../../../canon/json.ts"
import { jsonOf } from "../../../canon/operation-response.ts"
import {
  type TranscriptionFormat,
  type TranscriptSegment,
  usageOfTranscript,
} from "../../../canon/transcription.ts"
import type { OutgoingField } from "../../../wire/encode-form.ts"
import { defined } from "../../shared/fields.ts"
import {
  audioForm,
  formCall,
  lossesOf,
  numberAt,
  rejectTranslation,
  TIMED,
  timedListAt,
  transcriptText,
} from "./fields.ts"
import { usageOf } from "./openai.ts"

const CARRIED = new Set(["temperature", "timestamps", "speakers"] as const)
const CARRIED_WITH_LANGUAGE = new Set([...CARRIED, "language"] as const)

/**
 * Creates the format of Mistral's transcriptions (docs/contribute/wire/transcription.md#f7). They use OpenAI's path,
 * have only one response format, return segments if times are requested, and accept no prompt.
 * @param decodeError reads the vendor's errors.
 */
export function mistralTranscription(
  decodeError: TranscriptionFormat["decodeError"],
): TranscriptionFormat {
  return {
    translates: () => false,
    encode(request, model) {
      rejectTranslation(request.task)
      const { language, temperature, form } = request
      const isTimed = TIMED.has(form) || form === "diarized_json"
      const fields: OutgoingField[] = [["model", model]]
      // Mistral accepts either the language or a request for times, but not both (docs.mistral.ai, audio
      // transcription).
      const carriesLanguage = language !== undefined && !isTimed
      if (carriesLanguage) fields.push(["language", language])
      if (temperature !== undefined) fields.push(["temperature", String(temperature)])
      if (isTimed) fields.push(["timestamp_granularities[]", "segment"])
      if (form === "diarized_json") fields.push(["diarize", "true"])
      const losses = lossesOf(request, carriesLanguage ? CARRIED_WITH_LANGUAGE : CARRIED)
      if (request.granularities.includes("word")) {
        losses.push({ name: "timestamp_granularities", effect: "dropped" })
      }
      return { calls: [formCall("/audio/transcriptions", audioForm(fields, request))], losses }
    },
    decode(response) {
      const body = jsonOf(response)
      const language = textAt(body, "language")
      const segments: TranscriptSegment[] = timedListAt(body, "segments").flatMap((item) => {
        if (!isJsonObject(item)) return []
        const start = numberAt(item, "start")
        const end = numberAt(item, "end")
        const speaker = textAt(item, "speaker_id")
        if (start === undefined || end === undefined) return []
        const text = textAt(item, "text") ?? ""
        return [defined({ start, end, text, speaker })]
      })
      return defined({
        text: transcriptText(body),
        language,
        segments: segments.length === 0 ? undefined : segments,
        usage: usageOf(objectAt(body, "usage")),
      })
    },
    usageIn: (members) => usageOfTranscript(usageOf(objectAt(members, "usage"))),
    decodeError,
  }
}
