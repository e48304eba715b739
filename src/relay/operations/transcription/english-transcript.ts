import type { Transcript, TranscriptForm } from "../../../canon/transcription.ts"
import { chunksOfLines, chunksOfText, type TranslationChunk } from "./translation-text.ts"

/** Formats whose segments are translated one by one. */
const TIMED: ReadonlySet<TranscriptForm> = new Set(["srt", "vtt", "verbose_json", "diarized_json"])

/** What has to be translated: neither silence nor what was said in English. */
export function chunksOf(
  { text, language, segments }: Transcript,
  form: TranscriptForm,
): TranslationChunk[] {
  if (language !== undefined && /^en(glish|[-_].*)?$/i.test(language)) return []
  if (!segments || !TIMED.has(form)) return chunksOfText(text)
  return chunksOfLines(segments.flatMap((segment) => segment.text.trim() || []))
}

/** A transcript that is in English, or of silence. */
export function asEnglish(transcript: Transcript): Transcript {
  const { body: _, words: __, ...rest } = transcript
  return { ...rest, language: "en" }
}

/** A transcript with its text in English. @param texts the translations of its `chunksOf`. */
export function withEnglish(
  transcript: Transcript,
  texts: readonly string[],
  form: TranscriptForm,
): Transcript {
  const { segments } = transcript
  const english = { ...asEnglish(transcript), text: texts.join(" ") }
  if (!segments || !TIMED.has(form)) return english
  const left = texts.values()
  const translated = segments.map((segment) => ({
    ...segment,
    text: segment.text.trim() === "" ? "" : (left.next().value ?? ""),
  }))
  return { ...english, segments: translated }
}
