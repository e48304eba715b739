import { deepgramSpeech } from "../dialects/speech/formats/deepgram.ts"
import { DEEPGRAM_TRANSCRIPTION } from "../dialects/transcription/formats/deepgram.ts"
import { staticSigner } from "./static-signer.ts"
import type { Vendor } from "./vendor.ts"

const BASE_URL = "https://api.deepgram.com"

/** Deepgram (docs/contribute/wire/speech.md#f5 and docs/contribute/wire/transcription.md#f5). It has no chat. */
export const DEEPGRAM: Vendor = {
  id: "deepgram",
  name: "Deepgram",
  baseUrl: BASE_URL,
  keyVariables: ["DEEPGRAM_API_KEY"],
  chat: [],
  operations: {
    speech: deepgramSpeech(DEEPGRAM_TRANSCRIPTION.decodeError),
    transcription: DEEPGRAM_TRANSCRIPTION,
  },
  baseUrlOf: ({ baseUrl = BASE_URL }) => baseUrl,
  signer: ({ apiKey }) =>
    staticSigner(apiKey === undefined ? {} : { authorization: `Token ${apiKey}` }),
  probe: ({ baseUrl = BASE_URL }) => ({ url: `${baseUrl}/v1/projects` }),
}
