import { isJsonObject, type JsonObject, listAt, textAt } from "../../../canon/json.ts"
import { jsonOf } from "../../../canon/operation-response.ts"
import type { TranscriptionFormat, TranscriptSegment } from "../../../canon/transcription.ts"
import type { OutgoingField } from "../../../wire/encode-form.ts"
import { defined } from "../../shared/fields.ts"
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

const CARRIED = new Set(["language", "temperature", "timestamps", "speakers"] as const)

/**
 * Creates the format of ElevenLabs' `POST /v1/speech-to-text` (docs/contribute/wire/transcription.md#f6).
 * @param decodeError reads the vendor's errors.
 */
export function elevenLabsTranscription(
  decodeError: TranscriptionFormat["decodeError"],
): TranscriptionFormat {
  return {
    translates: () => false,
    encode(request, model) {
      rejectTranslation(request.task)
      const { language, temperature, form } = request
      const fields: OutgoingField[] = [
        ["model_id", model],
        ["timestamps_granularity", "word"],
        // Callers of OpenAI's format do not expect descriptions of sounds other than speech, such as "(laughter)".
        ["tag_audio_events", "false"],
      ]
      if (language !== undefined) fields.push(["language_code", language])
      if (temperature !== undefined) fields.push(["temperature", String(temperature)])
      if (form === "diarized_json") fields.push(["diarize", "true"])
      const losses = lossesOf(request, CARRIED)
      return { calls: [formCall("/v1/speech-to-text", audioForm(fields, request))], losses }
    },
    decode(response, { form }) {
      const body = jsonOf(response)
      const spoken: JsonObject = {
        words: listAt(body, "words").filter((item) => isJsonObject(item) && item.type === "word"),
      }
      const words = wordsAt(spoken, "words", "text")
      const language = textAt(body, "language_code")
      const duration = numberAt(body, "audio_duration_secs")
      const segments = form === "diarized_json" ? bySpeaker(spoken) : segmentsOfWords(words)
      const text = transcriptText(body)
      return timedTranscript({ text, language, duration, segments, words })
    },
    decodeError,
  }
}

/** Returns segments that end when another speaker starts. */
function bySpeaker(spoken: JsonObject): TranscriptSegment[] {
  const segments: TranscriptSegment[] = []
  let turn: JsonObject[] = []
  const close = (): void => {
    const speaker = turn[0] && textAt(turn[0], "speaker_id")
    for (const segment of segmentsOfWords(wordsAt({ turn }, "turn", "text"))) {
      segments.push(defined({ ...segment, speaker }))
    }
    turn = []
  }
  for (const word of listAt(spoken, "words")) {
    if (!isJsonObject(word)) continue
    if (turn[0] && turn[0].speaker_id !== word.speaker_id) close()
    turn.push(word)
  }
  close()
  return segments
}
