import { Button, FileButton, Text } from "@mantine/core"
import { IconMicrophone, IconPlayerStopFilled } from "../../../ui/icons.tsx"
import { type DragEvent, useEffect, useMemo, useState } from "react"
import { countText, durationText } from "../../../format/numbers.ts"
import { useNow } from "../use-now.ts"
import { useRecorder } from "./use-recorder.ts"
import { rich, t } from "../../../languages/text.ts"

/** The gateway's limit, documented in docs/reference/api.md#limits. */
const MAX_AUDIO_BYTES = 25 * 1024 * 1024
const ENDINGS = ".flac,.mp3,.mp4,.mpeg,.mpga,.m4a,.ogg,.wav,.webm,audio/*"

export interface SoundSourceProperties {
  readonly file: File | undefined
  readonly onChange: (file: File | undefined) => void
}

/** Lets the user choose, drop or record the audio to transcribe. */
export function SoundSource({ file, onChange }: SoundSourceProperties) {
  const [isOver, setOver] = useState(false)
  const [fault, setFault] = useState<string>()
  const recorder = useRecorder(choose)
  const url = useMemo(() => (file === undefined ? undefined : URL.createObjectURL(file)), [file])
  useEffect(() => () => (url === undefined ? undefined : URL.revokeObjectURL(url)), [url])

  function choose(chosen: File | null | undefined) {
    if (!chosen) return
    const isTooLarge = chosen.size > MAX_AUDIO_BYTES
    setFault(
      isTooLarge
        ? t("{name} is larger than 25 MB. Cut it first.", { name: chosen.name })
        : undefined,
    )
    if (!isTooLarge) onChange(chosen)
  }

  function drop(event: DragEvent) {
    event.preventDefault()
    setOver(false)
    choose(event.dataTransfer.files[0])
  }

  return (
    <>
      <div
        className="drop-place"
        data-over={isOver}
        onDragOver={(event) => {
          event.preventDefault()
          setOver(true)
        }}
        onDragLeave={() => setOver(false)}
        onDrop={drop}
      >
        <FileButton accept={ENDINGS} onChange={choose}>
          {(properties) => (
            <Button {...properties} variant="default" size="xs">
              {t("Choose a file")}
            </Button>
          )}
        </FileButton>
        <RecordButton recorder={recorder} />
        <Text
          size="sm"
          c={(fault ?? recorder.fault) === undefined ? "dimmed" : "red"}
          role="status"
        >
          {fault ?? recorder.fault ?? describe(file)}
        </Text>
      </div>
      {/* oxlint-disable-next-line jsx-a11y/media-has-caption */}
      {url !== undefined && <audio controls src={url} aria-label={t("The audio to transcribe")} />}
    </>
  )
}

function describe(file: File | undefined): string {
  if (file === undefined)
    return t("or drop one here: flac, mp3, mp4, m4a, ogg, wav or webm, at most 25 MB")
  return t("{name}, {size} KB", {
    name: file.name,
    size: countText(Math.ceil(file.size / 1_024)),
  })
}

function RecordButton({ recorder }: { readonly recorder: ReturnType<typeof useRecorder> }) {
  if (!recorder.isAble) return null
  if (!recorder.isRecording) {
    return (
      <Button
        variant="default"
        size="xs"
        leftSection={<IconMicrophone size={16} />}
        onClick={() => void recorder.start()}
      >
        {t("Record")}
      </Button>
    )
  }
  return (
    <Button
      color="red"
      size="xs"
      leftSection={<IconPlayerStopFilled size={14} />}
      onClick={recorder.stop}
    >
      {rich("Stop {elapsed}", { elapsed: <Elapsed since={recorder.startedAt} /> })}
    </Button>
  )
}

function Elapsed({ since }: { readonly since: number }) {
  const now = useNow(500)
  return (
    <span className="figures">
      &nbsp;{durationText(Math.max(0, Math.floor((now - since) / 1_000) * 1_000))}
    </span>
  )
}
