import type { ModelSettings } from "../../src/config/settings.ts"
import { type GatewayOptions, provider } from "./gateway.ts"

/** Prices per million characters and seconds, chosen for simple arithmetic. */
const BY_CHARACTER = { character: "15" } as const
const BY_SECOND = { second: "100" } as const
const BY_TOKEN = { input: "1", audio_input: "3", output: "2", audio_output: "12" } as const

function transcription(price: ModelSettings["price"] = BY_SECOND): ModelSettings {
  return { kind: "transcription", ...(price && { price }) }
}

function speech(price: ModelSettings["price"] = BY_CHARACTER): ModelSettings {
  return { kind: "speech", ...(price && { price }) }
}

const TTS = { provider: "sim", model: "tts-1", weight: 1 } as const

/** Returns options of a gateway whose audio vendors are all played by the simulator. */
export function audioModels(): GatewayOptions {
  return {
    providersAt: (url) => ({
      openai: provider(`${url}/v1`, "openai"),
      "openai-cutting": {
        ...provider(`${url}/v1`, "openai"),
        headers: { "x-simulate-fault": "cut" },
      },
      groq: provider(`${url}/v1`, "groq"),
      mistral: provider(`${url}/v1`, "mistral"),
      cohere: provider(url, "cohere"),
      xai: provider(`${url}/v1`, "xai"),
      deepgram: provider(url, "deepgram"),
      elevenlabs: provider(url, "elevenlabs"),
      google: provider(url, "google"),
    }),
    models: {
      "sim/whisper-1": transcription(),
      "sim/tts-1": speech(),
      "sim/tts-long": { ...speech(), maxInput: 10_000, deployments: [TTS] },
      "sim/tts-short": { ...speech(), maxInput: 20, deployments: [TTS] },
      "sim/fault-cut": speech(),
      "sim/fault-stall": speech(),
      "sim/fault-500": speech(),
      "sim/fault-empty": speech(),
      "openai/gpt-4o-cut": {
        ...transcription(BY_TOKEN),
        deployments: [{ provider: "openai-cutting", model: "gpt-4o-transcribe", weight: 1 }],
      },
      "openai/gpt-4o-transcribe": transcription(BY_TOKEN),
      "openai/gpt-4o-transcribe-diarize": transcription(BY_TOKEN),
      "openai/gpt-4o-mini-tts": speech(BY_TOKEN),
      "groq/whisper-large-v3": transcription(),
      "groq/orpheus": speech(),
      "mistral/voxtral-mini": transcription(),
      "mistral/voxtral-mini-tts": speech(),
      "xai/grok-stt": transcription(),
      "cohere/transcribe": transcription(),
      "xai/grok-tts": speech(),
      "deepgram/nova-3": transcription(),
      "deepgram/aura-2-thalia-en": speech(),
      "elevenlabs/scribe_v2": transcription(),
      "elevenlabs/eleven_v3": speech(),
      "google/gemini-listen": transcription(BY_TOKEN),
      "google/gemini-tts": speech(BY_TOKEN),
    },
  }
}

/** Returns a WAV file of zeros with the given duration and with correct lengths. */
export function wave(seconds: number, rate = 16_000): Uint8Array<ArrayBuffer> {
  const file = Buffer.alloc(44 + Math.round(seconds * rate) * 2)
  file.write("RIFF")
  file.writeUInt32LE(file.length - 8, 4)
  file.write("WAVEfmt ", 8)
  file.writeUInt32LE(16, 16)
  file.writeUInt16LE(1, 20)
  file.writeUInt16LE(1, 22)
  file.writeUInt32LE(rate, 24)
  file.writeUInt32LE(rate * 2, 28)
  file.writeUInt16LE(2, 32)
  file.writeUInt16LE(16, 34)
  file.write("data", 36)
  file.writeUInt32LE(file.length - 44, 40)
  return new Uint8Array(file)
}

/** Returns the simulator's transcript of audio. */
export function heardIn(bytes: Uint8Array): string {
  const hash = Bun.hash.crc32(bytes).toString(16).padStart(8, "0")
  return `A sound of ${bytes.length} bytes. Its checksum is ${hash}.`
}
