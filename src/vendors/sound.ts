import { mistralSpeech } from "../dialects/speech/formats/mistral.ts"
import { OPENAI_SPEECH, openAiSpeech } from "../dialects/speech/formats/openai.ts"
import { xaiSpeech } from "../dialects/speech/formats/xai.ts"
import { mistralTranscription } from "../dialects/transcription/formats/mistral.ts"
import { openAiTranscription } from "../dialects/transcription/formats/openai.ts"
import { xaiTranscription } from "../dialects/transcription/formats/xai.ts"
import { OPENAI_CHAT } from "../dialects/openai-chat/index.ts"
import type { Operations } from "./vendor.ts"

/** A vendor's audio operations. */
export type SoundOperations = Pick<Operations, "speech" | "transcription">

const { decodeError } = OPENAI_CHAT

/** OpenAI, and Azure's OpenAI. */
export const OPENAI_SOUND: SoundOperations = {
  speech: openAiSpeech(decodeError, OPENAI_SPEECH),
  transcription: openAiTranscription(decodeError),
}

/** Servers that operators run, and vendors with OpenAI's format: tokens of speech are not reported. */
export const OPEN_SOUND: SoundOperations = {
  speech: openAiSpeech(decodeError),
  transcription: openAiTranscription(decodeError),
}

/** Groq's Whisper, and Orpheus, which only has wav. */
export const GROQ_SOUND: SoundOperations = {
  speech: openAiSpeech(decodeError, { forms: ["wav"] }),
  transcription: openAiTranscription(decodeError),
}

export const MISTRAL_SOUND: SoundOperations = {
  speech: mistralSpeech(decodeError),
  transcription: mistralTranscription(decodeError),
}

export const XAI_SOUND: SoundOperations = {
  speech: xaiSpeech(decodeError),
  transcription: xaiTranscription(decodeError),
}

/** Models at OpenRouter and similar vendors return mp3 or raw samples; each transcript reports its seconds. */
export const OPENROUTER_SOUND: SoundOperations = {
  speech: openAiSpeech(decodeError, { forms: ["mp3", "pcm"] }),
  transcription: openAiTranscription(decodeError, { translations: false, countsInJson: true }),
}
