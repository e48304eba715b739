import type { FormFile } from "../../src/canon/form-file.ts"
import { StoredFile } from "../../src/media/stored-file.ts"
import type { TranscriptionRequest } from "../../src/canon/transcription.ts"
import { wave } from "./audio.ts"

/** Returns a file of a form that is in memory. */
export function fileOf(bytes: Uint8Array<ArrayBuffer>, name = "speech.wav"): FormFile {
  const content = {
    size: bytes.byteLength,
    read: (start: number, end: number) => Promise.resolve(bytes.slice(start, end)),
  }
  return new StoredFile({ field: "file", name, type: "" }, content)
}

/** Returns a request to transcribe 3.7 seconds of audio, which is the duration of most recordings. */
export function transcriptionOf(parts: Partial<TranscriptionRequest> = {}): TranscriptionRequest {
  return {
    model: "model",
    task: "transcribe",
    audio: {
      container: "wav",
      mediaType: "audio/wav",
      file: fileOf(wave(0.1)),
      seconds: 3.7,
      maxSeconds: 3.7,
    },
    form: "json",
    granularities: [],
    stream: false,
    ...parts,
  }
}

/** Returns a decoded response. */
export function responseOf(body: unknown) {
  const text = typeof body === "string" ? body : JSON.stringify(body)
  return { headers: new Headers(), bytes: new TextEncoder().encode(text) }
}
