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

/**
 * Operations of compatible vendors. Embeddings and rerank are not here, because each vendor's row declares its
 * differences in single fields.
 */

const { decodeError } = OPENAI_CHAT

/** Speech and transcription at OpenAI, and at Azure's OpenAI. */
export const OPENAI_SOUND = {
  speech: openAiSpeech(decodeError, OPENAI_SPEECH),
  transcription: openAiTranscription(decodeError),
} satisfies Operations

/** Speech and transcription in OpenAI's format at other vendors, which do not report tokens of speech. */
export const OPEN_SOUND = {
  speech: openAiSpeech(decodeError),
  transcription: openAiTranscription(decodeError),
} satisfies Operations

/** Operations of servers that operators run. They may offer everything that OpenAI offers. */
export const OPEN_OPERATIONS: Operations = {
  ...OPEN_SOUND,
  image: openAiImages(OPEN_FAMILIES),
  moderation: openAiModeration(decodeError),
}

/** Operations of vendors, by the vendor's id. */
export const OPERATIONS = {
  openai: {
    ...OPENAI_SOUND,
    image: openAiImages(OPENAI_FAMILIES),
    moderation: openAiModeration(decodeError),
  },
  fireworks: { image: FIREWORKS_IMAGES },
  /** Transcription with Whisper, and speech with Orpheus, which only supports wav. */
  groq: {
    speech: openAiSpeech(decodeError, { forms: ["wav"] }),
    transcription: openAiTranscription(decodeError),
  },
  mistral: {
    speech: mistralSpeech(decodeError),
    transcription: mistralTranscription(decodeError),
    moderation: mistralModeration(decodeError),
  },
  /** Its models return mp3 or raw samples, and each transcript reports its duration in seconds. */
  openrouter: {
    speech: openAiSpeech(decodeError, { forms: ["mp3", "pcm"] }),
    transcription: openAiTranscription(decodeError, { translations: false, countsInJson: true }),
    image: OPENROUTER_IMAGES,
  },
  together: { ...OPEN_SOUND, image: TOGETHER_IMAGES },
  xai: {
    speech: xaiSpeech(decodeError),
    transcription: xaiTranscription(decodeError),
    image: XAI_IMAGES,
  },
} satisfies Record<string, Operations>
