import { isJsonObject, objectAt, textAt } from "../../../canon/json.ts"
import { jsonOf } from "../../../canon/operation-answer.ts"
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
  timedListAt,
  transcriptText,
} from "./fields.ts"
import { usageOf } from "./openai.ts"

const TIMED: ReadonlySet<string> = new Set(["srt", "vtt", "verbose_json", "diarized_json"])

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
      const { language, temperature, form, stream } = request
      const isTimed = TIMED.has(form)
      const fields: OutgoingField[] = [["model", model]]
      // Mistral accepts either the language or a request for times, but not both (docs.mistral.ai, audio
      // transcription).
      const carriesLanguage = language !== undefined && !isTimed
      if (carriesLanguage) fields.push(["language", language])
      if (temperature !== undefined) fields.push(["temperature", String(temperature)])
      if (isTimed) fields.push(["timestamp_granularities[]", "segment"])
      if (form === "diarized_json") fields.push(["diarize", "true"])
      const carried = new Set<"language" | "temperature">(["temperature"])
      if (carriesLanguage) carried.add("language")
      const losses = lossesOf(request, carried)
      if (stream) losses.push({ name: "stream", effect: "approximated" })
      if (request.granularities.includes("word")) {
        losses.push({ name: "timestamp_granularities", effect: "dropped" })
      }
      return { calls: [formCall("/audio/transcriptions", audioForm(fields, request))], losses }
    },
    decode(answer) {
      const body = jsonOf(answer)
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
