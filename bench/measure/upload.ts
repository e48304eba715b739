import { writeFileSync } from "node:fs"
import type { Effort } from "../options.ts"
import { familyOf, peakMemory, residentMemory } from "../processor.ts"
import type { Running, Subject } from "../subjects/subject.ts"
import { startUpstream } from "../upstream.ts"
import { eachSubject } from "./with-subjects.ts"

/** What is sent: the largest sound that is taken. Bytes. */
export const UPLOAD = 25 * 1024 * 1024
const ROUNDS = 5
const SAMPLES_PER_SECOND = 16_000
const HEADER = 44

/** What receiving an upload and passing it on takes. KB above rest, the median of several. */
export interface UploadResult {
  readonly subject: string
  readonly aboveRest: number
  readonly peaks: readonly number[]
}

/** Memory while a sound of 25 MB is uploaded, kept and passed on. Only Tollgate takes forms. */
export async function measureUpload(
  subjects: readonly Subject[],
  effort: Effort,
): Promise<readonly UploadResult[]> {
  await using upstream = await startUpstream(0)
  const needed = subjects.filter(({ name }) => name === "tollgate")
  return await eachSubject(needed, upstream, async (prepared) => {
    await using running = await prepared.start()
    await upload(running, soundOf(HEADER + SAMPLES_PER_SECOND))
    const family = familyOf(running.process)
    const peaks: number[] = []
    const sound = soundOf(UPLOAD)
    for (let round = 0; round < ROUNDS; round++) {
      await Bun.sleep(effort.settling)
      const atRest = residentMemory(family)
      for (const member of family) writeFileSync(`/proc/${member}/clear_refs`, "5")
      await upload(running, sound)
      peaks.push(Math.max(0, peakMemory(family) - atRest))
    }
    const aboveRest = peaks.toSorted((left, right) => left - right)[ROUNDS >> 1] ?? 0
    return { subject: running.name, aboveRest, peaks }
  })
}

async function upload(running: Running, sound: Uint8Array<ArrayBuffer>): Promise<void> {
  const form = new FormData()
  form.set("model", running.model("transcribe"))
  form.set("file", new File([sound], "sound.wav", { type: "audio/wav" }))
  const url = `http://127.0.0.1:${running.port}/v1/audio/transcriptions`
  const answer = await fetch(url, { method: "POST", headers: running.headers, body: form })
  const text = await answer.text()
  if (answer.status !== 200) throw new Error(`upload: ${answer.status} ${text.slice(0, 200)}`)
}

/** A wave file of silence, one channel of 16 bits. @param length of all of it, bytes */
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
