import type { Handler, WireFormat } from "../format.ts"
import { answerJson } from "../json-operation.ts"
import { answerCohereListen } from "./cohere.ts"
import { answerSpeech } from "./openai-speech.ts"
import { answerTranscription } from "./openai-transcription.ts"
import {
  answerDeepgramListen,
  answerDeepgramSpeech,
  answerElevenLabsListen,
  answerElevenLabsSpeech,
  answerXaiListen,
  answerXaiSpeech,
  gemini,
} from "./vendors.ts"

const PATHS: Readonly<Record<string, Handler>> = {
  "/v1/audio/speech": answerSpeech,
  "/v1/audio/transcriptions": (exchange) => answerTranscription(exchange, "transcribe"),
  "/v1/audio/translations": (exchange) => answerTranscription(exchange, "translate"),
  "/v2/audio/transcriptions": answerCohereListen,
  "/v1/speak": answerDeepgramSpeech,
  "/v1/listen": answerDeepgramListen,
  "/v1/speech-to-text": answerElevenLabsListen,
  "/v1/tts": answerXaiSpeech,
  "/v1/stt": answerXaiListen,
}

/** Matches the Gemini models that this format simulates: models for speech, and one model for transcription. */
const GEMINI = /\/models\/(gemini-[^/:]*(?:tts|listen)[^/:]*):generateContent$/
const STREAM = /\/models\/(gemini-[^/:]*tts[^/:]*):streamGenerateContent\b/

/** Simulates speech and transcription in the format of each vendor. */
export const audio: WireFormat = {
  name: "audio",
  match(method, path): Handler | undefined {
    if (method !== "POST") return undefined
    if (Object.hasOwn(PATHS, path)) return PATHS[path]
    if (path.startsWith("/v1/text-to-speech/")) return answerElevenLabsSpeech
    const streamed = STREAM.exec(path)?.[1]
    const model = streamed ?? GEMINI.exec(path)?.[1]
    if (model === undefined) return undefined
    const isStream = streamed !== undefined
    return (exchange) => answerJson(exchange, () => gemini(decodeURIComponent(model), isStream))
  },
}
