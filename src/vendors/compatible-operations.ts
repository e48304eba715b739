import { FIREWORKS_IMAGES } from "../dialects/image/formats/fireworks.ts"
import { openAiImages } from "../dialects/image/formats/openai.ts"
import { OPEN_FAMILIES, OPENAI_FAMILIES } from "../dialects/image/formats/openai-families.ts"
import { OPENROUTER_IMAGES } from "../dialects/image/formats/openrouter.ts"
import { TOGETHER_IMAGES } from "../dialects/image/formats/together.ts"
import { XAI_IMAGES } from "../dialects/image/formats/xai.ts"
import { mistralModeration, openAiModeration } from "../dialects/moderation/formats/openai.ts"
import { OPENAI_CHAT } from "../dialects/openai-chat/index.ts"
import { mistralSpeech } from "../dialects/speech/formats/mistral.ts"
import { OPENAI_SPEECH, openAiSpeech } from "../dialects/speech/formats/openai.ts"
import { xaiSpeech } from "../dialects/speech/formats/xai.ts"
import { mistralTranscription } from "../dialects/transcription/formats/mistral.ts"
import { openAiTranscription } from "../dialects/transcription/formats/openai.ts"
import { xaiTranscription } from "../dialects/transcription/formats/xai.ts"
import type { Operations } from "./vendor.ts"

/** The operations of compatible vendors. Rows declare embeddings and rerank, which differ in single fields. */

const { decodeError } = OPENAI_CHAT

/** Audio at OpenAI, and at Azure's OpenAI. */
export const OPENAI_SOUND = {
  speech: openAiSpeech(decodeError, OPENAI_SPEECH),
  transcription: openAiTranscription(decodeError),
} satisfies Operations

export const OPENAI_OPERATIONS: Operations = {
  ...OPENAI_SOUND,
  image: openAiImages(OPENAI_FAMILIES),
  moderation: openAiModeration(decodeError),
}

/** Audio in OpenAI's format at other vendors: tokens of speech are not reported. */
export const OPEN_SOUND = {
  speech: openAiSpeech(decodeError),
  transcription: openAiTranscription(decodeError),
} satisfies Operations

/** Servers that operators run may offer everything that OpenAI has. */
export const OPEN_OPERATIONS: Operations = {
  ...OPEN_SOUND,
  image: openAiImages(OPEN_FAMILIES),
  moderation: openAiModeration(decodeError),
}

/** Groq's Whisper, and Orpheus, which only has wav. */
export const GROQ_OPERATIONS: Operations = {
  speech: openAiSpeech(decodeError, { forms: ["wav"] }),
  transcription: openAiTranscription(decodeError),
}

export const MISTRAL_OPERATIONS: Operations = {
  speech: mistralSpeech(decodeError),
  transcription: mistralTranscription(decodeError),
  moderation: mistralModeration(decodeError),
}

export const XAI_OPERATIONS: Operations = {
  speech: xaiSpeech(decodeError),
  transcription: xaiTranscription(decodeError),
  image: XAI_IMAGES,
}

export const TOGETHER_OPERATIONS: Operations = { ...OPEN_SOUND, image: TOGETHER_IMAGES }

export const FIREWORKS_OPERATIONS: Operations = { image: FIREWORKS_IMAGES }

/** Models at OpenRouter and similar vendors return mp3 or raw samples; each transcript reports its seconds. */
export const OPENROUTER_OPERATIONS: Operations = {
  speech: openAiSpeech(decodeError, { forms: ["mp3", "pcm"] }),
  transcription: openAiTranscription(decodeError, { translations: false, countsInJson: true }),
  image: OPENROUTER_IMAGES,
}
