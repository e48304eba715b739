import { useEffect, useRef, useState } from "react"
import { t } from "../../../languages/text.ts"

/** Recording formats. The browser uses the first format that it supports. Vendors accept all of them. */
const TYPES = ["audio/webm;codecs=opus", "audio/mp4", "audio/ogg;codecs=opus"]

export interface Recorder {
  /** Whether this browser can record. Browsers record only on https and on localhost. */
  readonly isAble: boolean
  readonly isRecording: boolean
  /** Unix milliseconds. */
  readonly startedAt: number
  readonly fault: string | undefined
  readonly start: () => Promise<void>
  readonly stop: () => void
}

/** Records from the microphone. @param onFile receives the recording. */
export function useRecorder(onFile: (file: File) => void): Recorder {
  const [recorder, setRecorder] = useState<MediaRecorder>()
  const [startedAt, setStartedAt] = useState(0)
  const [fault, setFault] = useState<string>()
  const latest = useRef(onFile)
  useEffect(() => {
    latest.current = onFile
  }, [onFile])
  useEffect(() => () => endTracks(recorder), [recorder])

  async function start(): Promise<void> {
    try {
      const stream = await navigator.mediaDevices.getUserMedia({ audio: true })
      const mimeType = TYPES.find((type) => MediaRecorder.isTypeSupported(type))
      const made = new MediaRecorder(stream, mimeType === undefined ? {} : { mimeType })
      const chunks: Blob[] = []
      made.addEventListener("dataavailable", ({ data }) => chunks.push(data))
      made.addEventListener("stop", () => {
        endTracks(made)
        setRecorder(undefined)
        const type = made.mimeType.split(";")[0] ?? "audio/webm"
        latest.current(new File(chunks, `recording.${type.split("/")[1] ?? "webm"}`, { type }))
      })
      made.start()
      setStartedAt(Date.now())
      setFault(undefined)
      setRecorder(made)
    } catch {
      setFault(t("The microphone is not available. Allow it for this page, or choose a file."))
    }
  }

  return {
    isAble: typeof MediaRecorder !== "undefined" && navigator.mediaDevices !== undefined,
    isRecording: recorder !== undefined,
    startedAt,
    fault,
    start,
    stop: () => recorder?.stop(),
  }
}

function endTracks(recorder: MediaRecorder | undefined): void {
  for (const track of recorder?.stream.getTracks() ?? []) track.stop()
}
