import { writeFileSync } from "node:fs"
import { ask } from "../load/ask.ts"
import type { Effort } from "../options.ts"
import { familyOf, peakMemory, residentMemory } from "../processor.ts"
import type { Running, Subject } from "../subjects/subject.ts"
import { startUpstream } from "../upstream.ts"
import { eachSubject } from "./with-subjects.ts"

/** The path to which audio is uploaded. */
export const TRANSCRIPTIONS_PATH = "/v1/audio/transcriptions"
/** Size of the upload in bytes, which is the size of the largest accepted audio file. */
const UPLOAD = 25 * 1024 * 1024
const ROUNDS = 5
const SAMPLES_PER_SECOND = 16_000
const HEADER = 44
/** Size in bytes of one second of audio, which is used to check whether a subject accepts uploads. */
export const SHORT_UPLOAD = HEADER + SAMPLES_PER_SECOND * 2

/**
 * Memory for receiving and forwarding an upload, in KB above the memory at rest. It is the median of several uploads.
 */
export interface UploadResult {
  readonly subject: string
  readonly aboveRest: number
  readonly peaks: readonly number[]
}

/**
 * Measures memory while an audio file of 25 MB is uploaded, stored and forwarded. Of the default subjects, only
 * Tollgate accepts forms.
 */
export async function measureUpload(
  subjects: readonly Subject[],
  effort: Effort,
): Promise<readonly UploadResult[]> {
  await using upstream = await startUpstream(0)
  const needed = subjects.filter(({ name }) => name === "tollgate")
  return await eachSubject(needed, upstream, async (prepared) => {
    await using running = await prepared.start()
    return await measureUploads(running, ROUNDS, effort.settling)
  })
}

/**
 * Measures a subject that accepts audio.
 * @param settling milliseconds without requests before each round.
 */
export async function measureUploads(
  running: Running,
  rounds: number,
  settling: number,
): Promise<UploadResult> {
  await upload(running, SHORT_UPLOAD)
  const family = familyOf(running.process)
  const peaks: number[] = []
  for (let round = 0; round < rounds; round++) {
    await Bun.sleep(settling)
    const atRest = residentMemory(family)
    for (const member of family) writeFileSync(`/proc/${member}/clear_refs`, "5")
    await upload(running, UPLOAD)
    peaks.push(Math.max(0, peakMemory(family) - atRest))
  }
  const aboveRest = peaks.toSorted((left, right) => left - right)[rounds >> 1] ?? 0
  return { subject: running.name, aboveRest, peaks }
}

async function upload(running: Running, length: number): Promise<void> {
  await ask(running, TRANSCRIPTIONS_PATH, uploadForm(running.model("transcribe"), length))
}

/**
 * Returns a form with silent audio to transcribe.
 * @param length size of the audio in bytes.
 */
export function uploadForm(model: string, length: number): FormData {
  const form = new FormData()
  form.set("model", model)
  form.set("file", new File([soundOf(length)], "sound.wav", { type: "audio/wav" }))
  return form
}

/**
 * Returns a WAV file of silence, one channel of 16 bits.
 * @param length size of the whole file in bytes.
 */
function soundOf(length: number): Uint8Array<ArrayBuffer> {
  const sound = new Uint8Array(length)
  const view = new DataView(sound.buffer)
  const text = (at: number, letters: string): void => sound.set(Buffer.from(letters), at)
  text(0, "RIFF")
  view.setUint32(4, length - 8, true)
  text(8, "WAVEfmt ")
  view.setUint32(16, 16, true)
  view.setUint16(20, 1, true)
  view.setUint16(22, 1, true)
  view.setUint32(24, SAMPLES_PER_SECOND, true)
  view.setUint32(28, SAMPLES_PER_SECOND * 2, true)
  view.setUint16(32, 2, true)
  view.setUint16(34, 16, true)
  text(36, "data")
  view.setUint32(40, length - HEADER, true)
  return sound
}
