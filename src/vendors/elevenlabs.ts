import { ELEVENLABS_SPEECH } from "../dialects/speech/formats/elevenlabs.ts"
import { elevenLabsTranscription } from "../dialects/transcription/formats/elevenlabs.ts"
import { headerSigner } from "./static-signer.ts"
import type { Vendor } from "./vendor.ts"

const BASE_URL = "https://api.elevenlabs.io"

/** ElevenLabs (docs/contribute/wire/speech.md#f3 and docs/contribute/wire/transcription.md#f6). It has no chat. */
export const ELEVENLABS: Vendor = {
  id: "elevenlabs",
  name: "ElevenLabs",
  baseUrl: BASE_URL,
  keyVariables: ["ELEVENLABS_API_KEY", "ELEVEN_API_KEY"],
  chat: [],
  operations: {
    speech: ELEVENLABS_SPEECH,
    transcription: elevenLabsTranscription(ELEVENLABS_SPEECH.decodeError),
  },
  baseUrlOf: ({ baseUrl = BASE_URL }) => baseUrl,
  signer: ({ apiKey }) => headerSigner("xi-api-key", apiKey),
  probe: ({ baseUrl = BASE_URL }) => ({ url: `${baseUrl}/v1/user` }),
}
